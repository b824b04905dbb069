import { createRoot } from 'react-dom/client'
import type { Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import '../../../src/theme/theme.css'
import '../../../src/ui/rest'
import * as Table from '../../../src/ui/list/table'
import { Tags } from '../../../src/ui/text/tag'
import { VirtualRows } from '../../../src/ui/list/virtual-rows'

let root: Root
let host: HTMLElement

beforeEach(async () => {
  await page.viewport(1280, 800)
  host = document.body.appendChild(document.createElement('div'))
  root = createRoot(host)
})

afterEach(() => {
  root.unmount()
  host.remove()
})

type Sample = { text: (index: number) => string; width?: number; reuse?: boolean; onEnd?: () => void }

const List = ({ text, width = 200, reuse, onEnd }: Sample) => (
  <Table.Root caption="Rows" virtual>
    <Table.Head>
      <Table.Th>Name</Table.Th>
      <Table.Th style={{ width }}>State</Table.Th>
      <Table.Th style={{ width }}>Tags</Table.Th>
    </Table.Head>
    <VirtualRows count={10_000} {...(reuse && { reuse })} {...(onEnd && { onEnd })}>
      {(index) => (
        <Table.Row key={index}>
          <Table.Cell>
            <a href="#row">row {index}</a>
          </Table.Cell>
          <Table.Cell data-testid={`state ${index}`}>{text(index)}</Table.Cell>
          <Table.Cell data-testid={`tags ${index}`}>
            <Tags tags={[{ id: 'one', name: text(index), colour: 'moss' }]} />
          </Table.Cell>
        </Table.Row>
      )}
    </VirtualRows>
  </Table.Root>
)

const overflowOf = (name: string) => getComputedStyle(page.getByTestId(name).element()).overflowX
const long = 'a state with many more words than the column has room for'

describe('a long table', () => {
  it('keeps under 500 elements for 10,000 rows, and reaches the last', async () => {
    const ended = vi.fn()
    root.render(<List text={() => 'online'} onEnd={ended} />)
    await expect.element(page.getByRole('link', { name: 'row 0', exact: true })).toBeVisible()
    expect(host.querySelectorAll('*').length).toBeLessThan(500)
    expect(document.documentElement.scrollHeight).toBeGreaterThan(360_000)
    window.scrollTo(0, document.documentElement.scrollHeight)
    await expect.element(page.getByRole('link', { name: 'row 9999', exact: true })).toBeVisible()
    expect(ended).toHaveBeenCalled()
    expect(host.querySelectorAll('*').length).toBeLessThan(500)
  })

  it('clips only the cells with a text or a tag that is longer than its column', async () => {
    root.render(<List text={(index) => (index === 1 ? long : 'online')} />)
    await expect.element(page.getByTestId('state 1')).toBeVisible()
    for (const cell of ['state', 'tags']) {
      expect(overflowOf(`${cell} 0`)).toBe('visible')
      expect(overflowOf(`${cell} 1`)).toBe('hidden')
    }
    const tag = page.getByTestId('tags 1').element().querySelector('[data-tag]')
    expect(tag && getComputedStyle(tag).overflowX).toBe('hidden')
  })

  it.each([false, true])('clips after scrolling what is cut there, and no other cell (rows reused: %s)', async (reuse) => {
    root.render(<List text={(index) => (index % 10 === 5 ? long : 'online')} reuse={reuse} />)
    await expect.element(page.getByTestId('state 5')).toBeVisible()
    for (const top of [1000, 1300, 40_000, 500]) {
      window.scrollTo(0, top)
      await expect.element(page.getByTestId(`state ${Math.floor(top / 36 / 10) * 10 + 15}`)).toBeVisible()
      const cut = [...host.querySelectorAll('td[data-testid]')].filter((cell) => getComputedStyle(cell).overflowX === 'hidden')
      const tooLong = [...host.querySelectorAll('td[data-testid]')].filter((cell) => cell.textContent === long)
      expect(cut).toEqual(tooLong)
    }
  })

  it('clips anew when a text or the width of a column changes', async () => {
    root.render(<List text={() => 'online'} />)
    await expect.element(page.getByTestId('state 0')).toBeVisible()
    expect(overflowOf('state 0')).toBe('visible')
    root.render(<List text={() => long} />)
    await expect.poll(() => overflowOf('state 0')).toBe('hidden')
    root.render(<List text={() => long} width={480} />)
    await expect.poll(() => overflowOf('state 0')).toBe('visible')
    root.render(<List text={() => long} width={100} />)
    await expect.poll(() => overflowOf('state 0')).toBe('hidden')
  })

  it('keeps the row with the focus in the document while it scrolls, and Tab goes on from it in the order of the list', async () => {
    root.render(<List text={() => 'online'} reuse />)
    await expect.element(page.getByRole('link', { name: 'row 3', exact: true })).toBeVisible()
    const focused = page.getByRole('link', { name: 'row 3', exact: true }).element()
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
    window.scrollTo(0, 20_000)
    await expect.element(page.getByRole('link', { name: 'row 560', exact: true })).toBeVisible()
    expect(document.activeElement?.textContent).toBe('row 3')
    const numbers = () => [...host.querySelectorAll('tbody a')].map((link) => Number(link.textContent?.slice('row '.length)))
    // The focus scrolls the page, which changes the rows.
    const atFocus: number[] = []
    host.addEventListener('focusin', () => atFocus.push(...numbers()), { once: true })
    await userEvent.keyboard('{Tab}')
    expect(atFocus).toEqual(atFocus.toSorted((one, other) => one - other))
    expect(document.activeElement?.textContent).toBe(`row ${atFocus[1]}`)
  })
})
