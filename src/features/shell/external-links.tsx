import { Link } from '@tanstack/react-router'
import { cx } from 'styled-system/css'
import { nav } from 'styled-system/recipes'
import { useSystem } from '../../system/system'

/** §1, in the order of the header. */
export const ExternalLinks = ({ className }: { className?: string }) => {
  const { links } = useSystem().environment
  const places = [
    ['Docs', links.docs],
    ['Terminal', links.terminal],
    ['Community', links.community],
    ['Feedback', links.feedback],
  ] as const
  const classes = cx(nav().link, className)
  return (
    <>
      {places.map(([label, href]) => (
        <a key={label} href={href} target="_blank" rel="noreferrer" className={classes}>
          {label}
        </a>
      ))}
      <Link to="/download-binaries" search className={classes}>
        Binaries
      </Link>
    </>
  )
}
