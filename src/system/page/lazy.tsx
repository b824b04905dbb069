import { lazyRouteComponent } from '@tanstack/react-router'
import { type ComponentType, lazy } from 'react'

/** The window event for a chunk that cannot be fetched: the chunkReload chart listens to it. */
export const missing = 'teasel:chunk-missing'

const untilOnline = () =>
  new Promise<void>((resolve) => {
    if (navigator.onLine) resolve()
    else window.addEventListener('online', () => resolve(), { once: true })
  })

/** Without a network nothing is known to be missing: the second attempt decides. */
const fetchCode = async <M,>(load: () => Promise<M>): Promise<M> => {
  try {
    return await load()
  } catch {
    await untilOnline()
  }
  return load().catch(() => {
    window.dispatchEvent(new Event(missing))
    return new Promise<M>(() => {})
  })
}

/** Loads a part of the app, and with the first one the styles and icons that the first screen does not need. */
export const fetchPart = <M,>(load: () => Promise<M>): Promise<M> =>
  fetchCode(async () => {
    const [part] = await Promise.all([load(), import('../../ui/rest')])
    return part
  })

/** Lazy pages must use this: the router's own helper would reload the page itself. */
export const lazyPage = <M extends { default: ComponentType }>(load: () => Promise<M>) =>
  lazyRouteComponent(() => fetchPart(load))

/** A page's loader loads with the page: its queries and their contract are not part of the first screen. */
export const lazyLoader =
  <A, R>(load: () => Promise<{ load: (arrival: A) => R }>) =>
  async (arrival: A) =>
    (await fetchPart(load)).load(arrival)

/** The same for a part of a page that loads when it is used. */
export const lazyPart = <P extends object>(load: () => Promise<ComponentType<P>>) =>
  lazy(() => fetchPart(load).then((component) => ({ default: component })))
