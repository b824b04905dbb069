import { createLink, type RouterHistory, useCanGoBack, useLocation, useRouter } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

/** §2: back in history if there is an entry, otherwise to `fallback`, with the current query. */
export const useBack = (fallback: string) => {
  const router = useRouter()
  const canGoBack = useCanGoBack()
  return () => {
    if (canGoBack) router.history.back()
    else void router.navigate({ to: fallback, search: true })
  }
}

/** The addresses of the entries of a history, by index; unknown are those before the document was loaded. */
const visited = new WeakMap<RouterHistory, (string | undefined)[]>()

/** Records the addresses for `BackLink`, until the returned function is called. */
export const recordVisits = (history: RouterHistory) => {
  const addresses: (string | undefined)[] = []
  visited.set(history, addresses)
  const record = () => {
    const { href, state } = history.location
    addresses[state.__TSR_index] = href
  }
  record()
  return history.subscribe(record)
}

const pathOf = (href: string) => href.split(/[?#]/, 1)[0]

/** The last entry before the current one with this path. Entries after it may belong to another branch. */
const findEarlier = (history: RouterHistory, path: string | undefined) => {
  const current = history.location.state.__TSR_index
  const addresses = visited.get(history) ?? []
  const index = addresses.findLastIndex((one, at) => at < current && one !== undefined && pathOf(one) === path)
  const address = addresses[index]
  return address === undefined ? undefined : { address, steps: index - current }
}

const BackAnchor = ({ href = '', children, ...rest }: ComponentProps<'a'>) => {
  const router = useRouter()
  const { searchStr } = useLocation()
  const path = pathOf(href)
  const earlier = findEarlier(router.history, path)
  const address = earlier?.address ?? `${path}${searchStr}`
  return (
    <a
      {...rest}
      // The router takes the page above for the current one.
      aria-current={undefined}
      href={address}
      onClick={(event) => {
        const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
        if (!isPlain) return
        event.preventDefault()
        if (earlier) router.history.go(earlier.steps)
        else void router.navigate({ href: address })
      }}
    >
      {children}
    </a>
  )
}

/**
 * A link to a page above this one. If that page is in the history, goes back to it, with its query and scroll position. Otherwise
 * opens it with the current query (§2).
 */
export const BackLink = createLink(BackAnchor)
