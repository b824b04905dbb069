import { infiniteQueryOptions } from '@tanstack/react-query'
import { expect, it, vi } from 'vitest'
import { page } from 'vitest/browser'
import { paces } from '../../../src/api/refresh'
import { useList } from '../../../src/system/list/list'
import { ListPage } from '../../../src/system/list/list-page'
import { EmptyState } from '../../../src/ui/layout/notice'
import { ListTable } from '../../../src/ui/list/list-table'
import * as Table from '../../../src/ui/list/table'
import { makeSystem, mount } from './system'

type Page = { names: string[]; next_cursor: string | null }
type Server = (cursor: string | undefined) => Page | Promise<Page>
const onClear = vi.fn<() => void>()

type Options = { filtered?: boolean; keepTools?: boolean; explained?: boolean }

const Names = ({ server, filtered = false, keepTools = false, explained = true }: Options & { server: Server }) => {
  const options = infiniteQueryOptions({
    queryKey: ['names'],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => server(pageParam),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })
  const list = useList(options, { rows: ({ names }) => names, pace: paces.list })
  return (
    <ListPage
      list={list}
      filtered={filtered}
      onClear={onClear}
      head={<h1>Names</h1>}
      tools={
        <button type="button" onClick={list.retry}>
          Refresh
        </button>
      }
      keepTools={keepTools}
      emptyState={explained && <EmptyState title="Not Found">Nobody has a name.</EmptyState>}
    >
      <ListTable caption="Names" list={list} columns={1} head={<Table.Th>Name</Table.Th>}>
        {(name) => (
          <Table.Row key={name}>
            <Table.Cell at="lead">{name}</Table.Cell>
          </Table.Row>
        )}
      </ListTable>
    </ListPage>
  )
}
const show = (server: Server, options: Options = {}) => mount(makeSystem(), <Names server={server} {...options} />)
const cell = (name: string) => page.getByRole('cell', { name })
const button = (name: string) => page.getByRole('button', { name })

it('a list shows its rows and fetches the next page near their end', async () => {
  const server = vi.fn<Server>((cursor) =>
    cursor === undefined ? { names: ['Ann', 'Bea'], next_cursor: 'more' } : { names: ['Cid'], next_cursor: null },
  )
  show(server)
  await expect.element(cell('Ann')).toBeVisible()
  await expect.element(cell('Cid')).toBeVisible()
  expect(server.mock.calls).toEqual([[undefined], ['more']])
})

it('a list whose first page failed shows the failure, and its rows after another try', async () => {
  let tries = 0
  show(async () => {
    tries += 1
    if (tries === 1) throw new Error('broken')
    return { names: ['Ann'], next_cursor: null }
  })
  await expect.element(page.getByRole('alert')).toBeVisible()
  expect(page.getByRole('table').query()).toBeNull()
  await button('Try again').click()
  await expect.element(cell('Ann')).toBeVisible()
})

it('a list keeps its rows when a refresh failed, says so and offers another try', async () => {
  let broken = false
  show(async () => {
    if (broken) throw new Error('broken')
    return { names: ['Ann'], next_cursor: null }
  })
  await expect.element(cell('Ann')).toBeVisible()
  broken = true
  await button('Refresh').click()
  await expect.element(page.getByText('The last refresh failed.')).toBeVisible()
  await expect.element(cell('Ann')).toBeVisible()
  broken = false
  await button('Try again').click()
  await expect.element(page.getByText('The last refresh failed.')).not.toBeInTheDocument()
})

it('an empty list explains itself without tools', async () => {
  show(() => ({ names: [], next_cursor: null }))
  await expect.element(page.getByText('Nobody has a name.')).toBeVisible()
  expect(button('Refresh').query()).toBeNull()
})

it('an empty list explains itself below tools that it keeps', async () => {
  show(() => ({ names: [], next_cursor: null }), { keepTools: true })
  await expect.element(page.getByText('Nobody has a name.')).toBeVisible()
  await expect.element(button('Refresh')).toBeVisible()
})

it('a filtered list without rows keeps its tools and offers to clear the filters', async () => {
  show(() => ({ names: [], next_cursor: null }), { filtered: true })
  await expect.element(button('Refresh')).toBeVisible()
  await button('Clear filters').click()
  expect(onClear).toHaveBeenCalledOnce()
})

it('a list that is empty without a filter offers no filter to clear, although it explains nothing', async () => {
  show(() => ({ names: [], next_cursor: null }), { explained: false })
  await expect.element(page.getByText('Not Found', { exact: true })).toBeVisible()
  expect(button('Clear filters').query()).toBeNull()
})

it('a list whose filter was refused keeps its tools, so that the filter can be changed', async () => {
  show(() => Promise.reject(new Error('too long')), { filtered: true })
  await expect.element(page.getByRole('alert')).toBeVisible()
  await expect.element(button('Refresh')).toBeVisible()
})

it('a list whose next page failed says so below its rows, and loads it at another try', async () => {
  let broken = true
  show(async (cursor) => {
    if (cursor === undefined) return { names: ['Ann'], next_cursor: 'more' }
    if (broken) throw new Error('broken')
    return { names: ['Bea'], next_cursor: null }
  })
  const failed = page.getByText('More rows could not be loaded.')
  await expect.element(failed).toBeVisible()
  expect(page.getByText('The last refresh failed.').query()).toBeNull()
  expect(failed.element().compareDocumentPosition(cell('Ann').element())).toBe(Node.DOCUMENT_POSITION_PRECEDING)
  broken = false
  await button('Try again').click()
  await expect.element(cell('Bea')).toBeVisible()
  await expect.element(failed).not.toBeInTheDocument()
})
