import { createMemoryHistory, createRouter, isRedirect } from '@tanstack/react-router'
import { expect, it } from 'vitest'
import { createActor, setup } from 'xstate'
import type { Permission } from '../contract/permissions'
import { routeTree } from '../src/route-tree.gen'

type Route = {
  id: string
  fullPath: string
  parentRoute?: Route
  options: {
    component?: unknown
    staticData?: { needs?: readonly Permission[]; label?: string }
    beforeLoad?: (arrival: unknown) => unknown
  }
}

/** Somebody is signed in, in the personal space. */
const settled = createActor(
  setup({ types: { tags: {} as 'signedIn' | 'settled', context: {} as { scope: null } } }).createMachine({
    context: { scope: null },
    initial: 'there',
    states: { there: { tags: ['signedIn', 'settled'] } },
  }),
).start()
const context = { system: { auth: settled, organization: settled } }

const needsOf = (route: Route | undefined): Permission[] =>
  route ? [...new Set([...needsOf(route.parentRoute), ...(route.options.staticData?.needs ?? [])])] : []

/** Where an index, or the path that nobody knows, sends the visitor. */
const targetOf = async ({ options }: Route): Promise<string> => {
  const params = new Proxy({}, { get: (_, name) => `$${String(name)}` })
  try {
    await options.beforeLoad?.({ params, context, preload: true, search: {}, location: {}, matches: [] })
  } catch (thrown) {
    if (isRedirect(thrown)) return String(thrown.options.to)
    throw thrown
  }
  return ''
}

const isPlace = ({ options }: Route) => options.component !== undefined
const isIndex = ({ id, options }: Route) => /\/$|^\/\$$/.test(id) && options.component === undefined

const lineOf = async (route: Route) => {
  const target = isIndex(route) ? await targetOf(route) : ''
  const cells = [
    `\`${route.fullPath}\``,
    route.options.staticData?.label ?? '',
    needsOf(route).join(', '),
    target && `\`${target}\``,
  ]
  return `| ${cells.join(' | ')} |`
}

it('the map of routes in docs/routes.md is the one that the route tree has', async () => {
  // Nothing is loaded here, so nothing of the context is asked for; of a route only what `Route` names is read.
  const { routesById } = createRouter({ routeTree, history: createMemoryHistory(), context: {} as never })
  const routes = (Object.values(routesById) as unknown as Route[]).filter((route) => isPlace(route) || isIndex(route))
  const sorted = routes.filter(({ id }) => id !== '__root__').toSorted((a, b) => (a.fullPath < b.fullPath ? -1 : 1))
  const lines = await Promise.all(sorted.map(lineOf))
  expect(lines.length).toBeGreaterThan(30)
  const head = `# The map of routes

Made from the route tree by \`tests/route-map.test.ts\`, which fails when this page and the tree differ; \`npx vitest run
--project node tests/route-map.test.ts -u\` writes it anew, and the difference is what a reviewer reads. A route needs what
it names and what the routes around it name. Redirects keep the query string.

| Path | Name | Needs | Leads to |
|---|---|---|---|
`
  await expect(`${head}${lines.join('\n')}\n`).toMatchFileSnapshot('../docs/routes.md')
})
