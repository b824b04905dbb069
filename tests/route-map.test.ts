import { isRedirect } from '@tanstack/react-router'
import { expect, it } from 'vitest'
import { createActor, setup } from 'xstate'
import type { Permission } from '../contract/core/permissions'
import { isIndex, readRoutes, type Route } from './support/routes'

/** A signed-in user, in the personal space. */
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

/** Where an index route, or the catch-all route, redirects. */
const targetOf = async ({ fullPath, options }: Route): Promise<string> => {
  const params = new Proxy({}, { get: (_, name) => `$${String(name)}` })
  try {
    await options.beforeLoad?.({ params, context, preload: true, search: {}, location: {}, matches: [] })
  } catch (thrown) {
    if (isRedirect(thrown)) {
      // §2: the query string is preserved.
      expect([fullPath, thrown.options.search]).toEqual([fullPath, true])
      return String(thrown.options.to)
    }
    throw thrown
  }
  return ''
}

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

it('docs/routes.md matches the route tree', async () => {
  const lines = await Promise.all(readRoutes().map(lineOf))
  expect(lines.length).toBeGreaterThan(30)
  const head = `# The map of routes

Generated from the route tree by \`tests/route-map.test.ts\`, which fails when this page and the tree differ; \`npx vitest run
--project node tests/route-map.test.ts -u\` regenerates it, and a reviewer reads the difference. A route needs its own permissions
and those of its parent routes. Redirects keep the query string.

| Path | Name | Needs | Leads to |
|---|---|---|---|
`
  await expect(`${head}${lines.join('\n')}\n`).toMatchFileSnapshot('../docs/routes.md')
})

/** §2, as written there: a path of the specification, and what it and the pages under it need. */
const asked: readonly [string, Permission][] = [
  ['/account/settings/organizations/list/:organizationId', 'organization:view'],
  ['/organizations/:organizationId/projects/add', 'project:create'],
  ['/organizations/:organizationId/projects/:projectId', 'project:view'],
  ['/organizations/:organizationId/projects/:projectId/devices', 'device:view'],
  ['/organizations/:organizationId/projects/:projectId/devices/list/add', 'project:manage_devices'],
  ['/organizations/:organizationId/projects/:projectId/devices/list/:deviceId/edit', 'project:manage_devices'],
  ['/organizations/:organizationId/projects/:projectId/tags', 'project:view'],
  ['/organizations/:organizationId/projects/:projectId/secure-boot', 'project:view'],
  ['/organizations/:organizationId/projects/:projectId/secure-boot/list/add', 'project:update'],
  ['/organizations/:organizationId/projects/:projectId/releases', 'project:view'],
  ['/organizations/:organizationId/projects/:projectId/releases/list/add', 'project:manage_releases'],
]

it.each(asked)('§2: %s and every page under it need %s', (path, permission) => {
  const start = path.replaceAll(':', '$')
  const routes = readRoutes().filter(({ fullPath }) => fullPath === start || fullPath.startsWith(`${start}/`))
  expect(routes).not.toEqual([])
  expect(routes.filter((route) => !needsOf(route).includes(permission)).map(({ fullPath }) => fullPath)).toEqual([])
})
