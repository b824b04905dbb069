import { createMemoryHistory, createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from '@tanstack/react-router'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { useFilterText } from '../../../src/system/list/filter-text'
import { makeSystem, mount } from './system'

const Filtered = () => {
  const filter = useFilterText()
  return (
    <>
      <input aria-label="Filter" {...filter.input} />
      <output>{filter.value ?? 'all'}</output>
    </>
  )
}

/** A list with a filter, and a page next to it. */
const open = () => {
  const top = createRootRoute({ component: Outlet })
  const validateSearch = ({ q }: Record<string, unknown>): { q?: string } => (typeof q === 'string' ? { q } : {})
  const routes = [
    createRoute({ getParentRoute: () => top, path: '/list', component: Filtered, validateSearch }),
    createRoute({ getParentRoute: () => top, path: '/other', component: () => <h1>Other</h1> }),
  ]
  const router = createRouter({
    routeTree: top.addChildren(routes),
    history: createMemoryHistory({ initialEntries: ['/list'] }),
  })
  mount(makeSystem(), <RouterProvider router={router} />)
  return router
}
const box = page.getByRole('textbox', { name: 'Filter' })
const shown = page.getByRole('status')

it('a filter box follows the address: a link to the whole list empties it, and Back fills it again', async () => {
  const router = open()
  await box.fill('gw ')
  await expect.element(shown).toHaveTextContent('gw')
  // The typed space stays.
  await expect.element(box).toHaveValue('gw ')
  void router.navigate({ href: '/list' })
  await expect.element(shown).toHaveTextContent('all')
  await expect.element(box).toHaveValue('')
  router.history.back()
  await expect.element(shown).toHaveTextContent('gw')
  await expect.element(box).toHaveValue('gw')
})

it('a page that is left before its filter was applied does not filter the next page', async () => {
  const router = open()
  await box.fill('gw')
  void router.navigate({ href: '/other' })
  await expect.element(page.getByRole('heading', { name: 'Other' })).toBeVisible()
  // Longer than the pause of the box.
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(router.state.location.href).toBe('/other')
})
