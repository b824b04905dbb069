/** §5: 'Not Found', where no option matches: in a list of options, which may hold nothing else, one that cannot be chosen. */
export const NoOptions = ({ className }: { className: string | undefined }) => (
  <div role="option" tabIndex={-1} aria-disabled aria-selected={false} className={className}>
    Not Found
  </div>
)
