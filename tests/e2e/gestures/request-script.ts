import type { BrowserContext, Request, Route } from 'playwright-core'
import type { Endpoint } from '../../../contract/core/endpoint'
import { manifest } from '../../budget/build'
import { within } from '../../support/machine-load'

/** A kind of request: calls of an endpoint, a script of the build, a page. */
export type Call = { name: string; is: (request: Request) => boolean }

const answers = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' }
/** `/projects/:projectId` as a pattern, or with the given id. */
const patternOf = (path: string, params: Readonly<Record<string, string>>) =>
  new RegExp(`^${path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '[^/]+')}$`)

export const callOf = ({ method, path }: Endpoint, params: Readonly<Record<string, string>> = {}): Call => {
  const pattern = patternOf(path, params)
  return {
    name: `${method} ${path}`,
    is: (request) =>
      request.method() === method && !request.isNavigationRequest() && pattern.test(new URL(request.url()).pathname),
  }
}
/** The path of a script of the build by the name of its module, such as `devices-page`. Throws if it is no script of its own. */
export const scriptPath = (module: string): string => {
  const chunk = Object.entries(manifest()).find(
    ([key]) => key === module || [`/${module}.ts`, `/${module}.tsx`].some((end) => key.endsWith(end)),
  )?.[1]
  if (!chunk?.file.endsWith('.js')) throw new Error(`The build has no script ${module}`)
  return `/${chunk.file}`
}
export const scriptOf = (module: string): Call => {
  const path = scriptPath(module)
  return { name: `the script ${module}`, is: (request) => new URL(request.url()).pathname === path }
}
export const pageAt = (start: string): Call => ({
  name: `the page ${start}`,
  is: (request) => request.isNavigationRequest() && request.url().startsWith(start),
})

const refused = (route: Route, status: number) => {
  if (status === 0) return route.abort('connectionfailed')
  if (status === 204) return route.fulfill({ status, headers: answers })
  const error = { code: `status_${status}`, message: 'Refused on the way', details: [], request_id: 'gesture' }
  return route.fulfill({ status, headers: answers, json: { error } })
}

type Held = { call: Call; route: Route }

export type RequestScript = {
  /** Holds such calls from now on until the path decides about them. */
  hold: (...calls: Call[]) => void
  /** Resolves once such a call is held; `count` of them if they are several. */
  held: (call: Call, count?: number) => Promise<void>
  /** Resolves once so many such calls were sent since it was first held or refused. */
  asked: (call: Call, count: number) => Promise<void>
  /** The URL of the latest call. */
  last: (call: Call) => string
  /** Forwards the oldest held call to the real host. */
  pass: (call: Call) => Promise<void>
  /** Answers the oldest held call with this status; 0 breaks its connection. */
  refuse: (call: Call, status: number) => Promise<void>
  /** Answers every such call with this status from now on. A navigation answered with 204 stays on its page. */
  always: (call: Call, status: number) => Promise<void>
  /** Stops holding or refusing such calls. */
  free: (call: Call) => Promise<void>
}

/** How long to wait for a call on a loaded machine. Only ends a failing wait. */
const limit = within(30_000)

export const openRequestScript = async (context: BrowserContext): Promise<RequestScript> => {
  const holding = new Set<Call>()
  const refusing = new Map<Call, number>()
  const seen = new Map<Call, string[]>()
  let held: Held[] = []
  const listeners = new Set<() => void>()
  const changed = () => [...listeners].forEach((listener) => listener())
  const of = (call: Call) => held.filter((one) => one.call === call)
  const until = (what: string, ask: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const over = setTimeout(
        () => reject(new Error(`${what} in vain; held: ${held.map(({ call }) => call.name).join(', ')}`)),
        limit,
      )
      const look = () => {
        if (!ask()) return
        clearTimeout(over)
        listeners.delete(look)
        resolve()
      }
      listeners.add(look)
      look()
    })
  const take = async (call: Call) => {
    await until(`Waited for ${call.name}`, () => of(call).length > 0)
    const [first] = of(call)
    held = held.filter((one) => one !== first)
    return first!.route
  }
  await context.route('**/*', (route) => {
    const request = route.request()
    if (request.method() === 'OPTIONS') return route.fallback()
    const call = [...refusing.keys(), ...holding].find((one) => one.is(request))
    if (!call) return route.fallback()
    seen.set(call, [...(seen.get(call) ?? []), request.url()])
    const status = refusing.get(call)
    if (status === undefined) held.push({ call, route })
    changed()
    return status === undefined ? undefined : refused(route, status)
  })
  // A call that the page itself aborted is no longer held.
  context.on('requestfailed', (request) => {
    held = held.filter(({ route }) => route.request() !== request)
    changed()
  })
  return {
    hold: (...calls) => calls.forEach((call) => holding.add(call)),
    held: (call, count = 1) => until(`Waited for ${count} × ${call.name}`, () => of(call).length === count),
    asked: (call, count) => until(`Waited for call ${count} of ${call.name}`, () => (seen.get(call)?.length ?? 0) === count),
    last: (call) => seen.get(call)?.at(-1) ?? '',
    pass: async (call) => (await take(call)).fallback(),
    refuse: async (call, status) => refused(await take(call), status),
    always: async (call, status) => {
      refusing.set(call, status)
      const rest = of(call)
      held = held.filter((one) => one.call !== call)
      await Promise.all(rest.map(({ route }) => refused(route, status)))
    },
    free: async (call) => {
      holding.delete(call)
      refusing.delete(call)
      const rest = of(call)
      held = held.filter((one) => one.call !== call)
      await Promise.all(rest.map(({ route }) => route.fallback()))
    },
  }
}
