import { Link } from '@tanstack/react-router'
import { cx } from 'styled-system/css'
import { nav } from 'styled-system/recipes'
import { useSystem } from '../../system/system'

const elsewhere = [
  ['docs', 'Docs'],
  ['terminal', 'Terminal'],
  ['community', 'Community'],
  ['feedback', 'Feedback'],
] as const

/** §1, in the order of the header; links come from the configuration, and links without a URL are hidden. */
export const useExternalLinks = () => {
  const { links } = useSystem().environment
  return elsewhere.flatMap(([name, label]) => (links[name] === undefined ? [] : [[label, links[name]] as const]))
}

/** The external links and the client binaries, which are a page of this app. */
export const ExternalLinks = ({ className }: { className?: string }) => {
  const classes = cx(nav().link, className)
  return (
    <>
      {useExternalLinks().map(([label, href]) => (
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
