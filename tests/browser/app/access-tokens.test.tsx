import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { AccessToken } from '../../../contract/accounts/access-tokens'
import type { Api } from '../../../src/api/client'
import { accessTokensQuery } from '../../../src/api/queries/accounts/access-tokens'
import { AccessTokens } from '../../../src/features/access/tokens/access-tokens'
import { makeSystem, mount } from './system'

it('a long name of an access token stays readable beside a long name of its maker', async () => {
  await page.viewport(1280, 800)
  // The fields that are read.
  const token = {
    id: 't1',
    project_id: 'p1',
    name: 'release-pipeline-of-the-northern-orchards',
    state: 'active',
    prefix: 'pat_7oFP',
    permissions: ['device:view'],
    effective_permissions: ['device:view'],
    maker: { name: 'N'.repeat(100) },
    last_used_at: null,
    last_used_ip: null,
    expires_at: null,
    replaced_at: null,
  } as unknown as AccessToken
  const system = makeSystem()
  const api = (() => new Promise(() => {})) as unknown as Api // Answers nothing.
  system.queryClient.setDefaultOptions({ queries: { staleTime: Infinity } })
  system.queryClient.setQueryData(accessTokensQuery(api, 'p1').queryKey, [token])
  const top = createRootRoute({ component: () => <AccessTokens projectId="p1" rotate={undefined} onClose={() => {}} /> })
  const router = createRouter({ routeTree: top, history: createMemoryHistory({ initialEntries: ['/'] }) })
  // It has other routes than the router of the console.
  mount({ ...system, api }, <RouterProvider router={router as never} />)
  const cell = page.getByRole('cell', { name: token.name, exact: true })
  await expect.element(cell).toBeVisible()
  expect(cell.element().getBoundingClientRect().height).toBeLessThan(100)
})
