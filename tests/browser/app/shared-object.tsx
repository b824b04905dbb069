import type { QueryKey } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { type ReactNode, useSyncExternalStore } from 'react'
import { onTestFinished } from 'vitest'
import type { Endpoint } from '../../../contract/core/endpoint'
import { ApiError } from '../../../src/api/failure'
import type { Api } from '../../../src/api/client'
import { createModals } from '../../../src/system/modals/modals'
import { makeSystem, mount } from './system'

const stale = (current: unknown) =>
  new ApiError({
    status: 412,
    code: 'stale_revision',
    message: 'This was changed in the meantime',
    details: [],
    requestId: 'request-1',
    requiredPermission: undefined,
    requiredPlan: undefined,
    retryAfterS: undefined,
    about: { current },
  })

type Merge<T> = (current: T, body: never) => T
type Options<T> = {
  /** The stored object after a change with this body. */
  merge?: Merge<T>
  /** Answers of the other endpoints, which by default do not answer. */
  answers?: (endpoint: Endpoint) => unknown
  /** What was loaded before the page, by query key. */
  cached?: readonly (readonly [QueryKey, unknown])[]
  /** The pattern and the path of the page. */
  at?: { pattern: string; path: string }
}

/**
 * A server with one object that other people change too, and a page for it. The object of the page is read again with `show`, as
 * a page that follows its object does.
 */
export const openShared = <T extends { revision: number }>(
  start: T,
  content: (object: T) => ReactNode,
  {
    merge = (current, body) => Object.assign({}, current, body),
    answers = () => new Promise(() => {}),
    cached = [],
    at = { pattern: '/', path: '/' },
  }: Options<T> = {},
) => {
  let stored = start
  let shown = start
  const bodies: unknown[] = []
  const listeners = new Set<() => void>()
  const api = (async (endpoint: Endpoint, _params: unknown, options: { ifMatch?: number; body?: never }) => {
    if (!endpoint.conditional) return endpoint.method === 'GET' && endpoint.path.endsWith('Id') ? stored : answers(endpoint)
    if (options.ifMatch !== stored.revision) throw stale(stored)
    bodies.push(options.body)
    if (options.body !== undefined) stored = { ...merge(stored, options.body), revision: stored.revision + 1 }
    return stored
  }) as unknown as Api // Implements only a few endpoints.
  const Page = () =>
    content(
      useSyncExternalStore(
        (listener) => (listeners.add(listener), () => listeners.delete(listener)),
        () => shown,
      ),
    )
  const top = createRootRoute()
  const route = createRoute({ getParentRoute: () => top, path: at.pattern, component: Page })
  const router = createRouter({
    routeTree: top.addChildren([route]),
    history: createMemoryHistory({ initialEntries: [at.path] }),
  })
  const system = makeSystem()
  system.queryClient.setDefaultOptions({ queries: { staleTime: Infinity, retry: false } })
  for (const [key, data] of cached) system.queryClient.setQueryData(key, data)
  const modals = createModals()
  system.modals.actor = modals
  onTestFinished(() => modals.stop())
  // It has other routes than the router of the console.
  mount({ ...system, api }, <RouterProvider router={router as never} />)
  return {
    system,
    /** The bodies of the accepted changes. */
    bodies,
    stored: () => stored,
    /** Another person's change. */
    change: (changes: Partial<T>) => void (stored = { ...stored, ...changes, revision: stored.revision + 1 }),
    show: () => {
      shown = stored
      for (const listener of listeners) listener()
    },
  }
}
