/** §5: 'Not Found', when no option matches: a disabled option, because a listbox may contain only options. */
export const NoOptions = ({ className }: { className: string | undefined }) => (
  <div role="option" tabIndex={-1} aria-disabled aria-selected={false} className={className}>
    Not Found
  </div>
)
