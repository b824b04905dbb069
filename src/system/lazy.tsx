import { lazyRouteComponent } from '@tanstack/react-router'
import { type ComponentType, lazy } from 'react'

/** What the window says when a part of the app cannot be fetched: the chunkReload chart hears it. */
export const missing = 'teasel:chunk-missing'

const untilOnline = () =>
  new Promise<void>((resolve) => {
    if (navigator.onLine) resolve()
    else window.addEventListener('online', () => resolve(), { once: true })
  })

/** Without a line nothing is missing yet: the second try tells. */
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

/** A part that comes later, and beside it, once, the looks and drawings of all that is not on the first screen. */
export const fetchPart = <M,>(load: () => Promise<M>): Promise<M> =>
  fetchCode(async () => {
    const [part] = await Promise.all([load(), import('../ui/rest')])
    return part
  })

/** The page whose code and looks come with the document (the load plan). */
export const firstPage = <M extends { default: ComponentType }>(load: () => Promise<M>) =>
  lazyRouteComponent(() => fetchCode(load))

/** Pages are lazy through this door alone: the router's own would reload the page by itself. */
export const lazyPage = <M extends { default: ComponentType }>(load: () => Promise<M>) =>
  lazyRouteComponent(() => fetchPart(load))

/** A page's own loader comes with the page: what it asks for, and the contract of it, is no part of the first screen. */
export const lazyLoader =
  <A, R>(load: () => Promise<{ load: (arrival: A) => R }>) =>
  async (arrival: A) =>
    (await fetchPart(load)).load(arrival)

/** The same for a part of a page that loads when it is used. */
export const lazyPart = <P extends object>(load: () => Promise<ComponentType<P>>) =>
  lazy(() => fetchPart(load).then((component) => ({ default: component })))
