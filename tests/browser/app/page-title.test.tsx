import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it } from 'vitest'
import { PageTitle } from '../../../src/features/shell/page-title'
import { makeSystem, mount } from './system'

it('the title of the document has the name of the shown object, the name of the page and the product', async () => {
  const root = createRootRoute({ component: PageTitle })
  const at = (path: string, label: string, loaded: unknown) =>
    createRoute({ getParentRoute: () => root, path, loader: () => loaded, staticData: { label } })
  const history = createMemoryHistory({ initialEntries: ['/rollout'] })
  const router = createRouter({
    routeTree: root.addChildren([
      at('/rollout', 'Rollout', { name: 'Gateway #3' }),
      at('/tags', 'Tags', [{ name: 'canary' }]),
      at('/odd', 'Odd', { name: 7 }),
    ]),
    history,
  })
  // It has other routes than the router of the console.
  mount(makeSystem(), <RouterProvider router={router as never} />)
  await expect.poll(() => document.title).toBe('Gateway #3 · Rollout · Teasel')
  history.push('/tags')
  await expect.poll(() => document.title).toBe('Tags · Teasel')
  history.push('/odd')
  await expect.poll(() => document.title).toBe('Odd · Teasel')
})
