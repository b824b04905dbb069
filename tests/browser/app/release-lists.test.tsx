import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it, onTestFinished, vi } from 'vitest'
import { object, array, string } from 'superstruct'
import { page } from 'vitest/browser'
import type { Api } from '../../../src/api/client'
import { modelCountsQuery } from '../../../src/api/queries/fleet/model-counts'
import { returnVersionsQuery } from '../../../src/api/queries/updates/releases'
import { tagsQuery } from '../../../src/api/queries/fleet/tags'
import { paces } from '../../../src/api/refresh'
import { textOf } from '../../../src/lib/form-data'
import { ReturnField } from '../../../src/features/releases/return-field'
import { readCommaList } from '../../../src/lib/comma-list'
import { BoundForm } from '../../../src/system/form/bound-form'
import { useForm } from '../../../src/system/form/form'
import { ModelsField } from '../../../src/system/form/models-field'
import { makeSystem, mount } from './system'

const projectId = '01K0000000000000000000PROJ'
const sent: unknown[] = []

const Sample = () => {
  const form = useForm({
    schema: object({ models: array(string()), versions: array(string()) }),
    read: (data) => ({
      models: readCommaList(textOf(data, 'models')),
      versions: data.has('versions') ? readCommaList(textOf(data, 'versions')) : ['untouched'],
    }),
    save: async (body) => void sent.push(body),
    onSaved: () => {},
  })
  return (
    <BoundForm form={form}>
      <ModelsField field={form.field('models')} projectId={projectId} start="gw" hint="Model ids." />
      <ReturnField field={form.field('versions')} projectId={projectId} models="gw" version="8" />
    </BoundForm>
  )
}

const show = () => {
  sent.length = 0
  const system = makeSystem()
  system.queryClient.setQueryData(modelCountsQuery(system.api, projectId).queryKey, [
    { id: 'gw', name: 'Gateway', devices: 12 },
    { id: 'cam', name: null, devices: 0 },
  ])
  const asked = { hardware_models: 'gw', below: '8' }
  system.queryClient.setQueryData(returnVersionsQuery(system.api, projectId, asked).queryKey, {
    versions: [5, 2],
    releases: [{ version: 5, display_version: '1.5.0', devices: 3 }],
  })
  const top = createRootRoute()
  const route = createRoute({ getParentRoute: () => top, path: '/', component: Sample })
  const router = createRouter({ routeTree: top.addChildren([route]), history: createMemoryHistory() })
  // What the lists have stays: nothing answers.
  const api = (() => new Promise(() => {})) as unknown as Api
  mount({ ...system, api }, <RouterProvider router={router} />)
}
const press = (name: string) => page.getByRole('button', { name, exact: true })
const box = (name: string) => page.getByRole('textbox', { name })

it('models and versions are chosen from those that exist, with the devices that have them, or typed', async () => {
  show()
  await expect.element(press('gw Gateway, 12 devices')).toHaveAttribute('aria-pressed', 'true')
  await press('cam no devices').click()
  await expect.element(box('Hardware models')).toHaveValue('gw, cam')
  await press('gw Gateway, 12 devices').click()
  await expect.element(box('Hardware models')).toHaveValue('cam')
  await box('Hardware models').fill('cam, gw')
  await expect.element(press('gw Gateway, 12 devices')).toHaveAttribute('aria-pressed', 'true')
  await expect.element(box('May return to')).toHaveValue('5, 2')
  await press('2 not a release').click()
  await expect.element(box('May return to')).toHaveValue('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => sent).toEqual([{ models: ['cam', 'gw'], versions: ['5'] }])
})

it('an unchanged list is left to the server', async () => {
  show()
  await expect.element(press('5 1.5.0, 3 devices')).toHaveAttribute('aria-pressed', 'true')
  await press('cam no devices').click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => sent).toEqual([{ models: ['gw', 'cam'], versions: ['untouched'] }])
})

it('a model that neither the project nor a device has is named', async () => {
  show()
  await box('Hardware models').fill('gw, gatewy')
  await expect
    .element(box('Hardware models'))
    .toHaveAccessibleDescription('Model ids. No device has the model gatewy, and the project does not list it.')
})

it.each([
  ['tags', tagsQuery, (ids: string[]) => ({ tags: ids.map((id) => ({ id })), next_cursor: null })],
  ['models', modelCountsQuery, (ids: string[]) => ({ hardware_models: ids.map((id) => ({ id })) })],
] as const)('a form that is open learns what others add to its list of %s', async (_, listQuery, answer) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const ids = ['first']
  const api = (async () => answer(ids)) as unknown as Api // Answers one list.
  const client = new QueryClient()
  // Of the rows only the id is read.
  const query = listQuery(api, projectId) as ReturnType<typeof tagsQuery>
  onTestFinished(new QueryObserver(client, query).subscribe(() => {}))
  const shown = () => client.getQueryData(query.queryKey)?.map(({ id }) => id)
  await vi.advanceTimersByTimeAsync(0)
  expect(shown()).toEqual(['first'])
  ids.push('of another person')
  await vi.advanceTimersByTimeAsync(paces.list)
  expect(shown()).toEqual(ids)
})
