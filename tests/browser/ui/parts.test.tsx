import axe from 'axe-core'
import { createRoot } from 'react-dom/client'
import type { Root } from 'react-dom/client'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import inter from '@fontsource/inter/files/inter-latin-400-normal.woff2?url'
import wideFace from '@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff2?url'
import narrowFace from '@fontsource/archivo-narrow/files/archivo-narrow-latin-400-normal.woff2?url'
import picture from '../../../machines/auth/auth.svg?url'
import rest from '../../../src/theme/rest.css?inline'
import theme from '../../../src/theme/theme.css?inline'
import '../../../src/theme/theme.css'
import '../../../src/ui/rest'
import { Avatar } from '../../../src/ui/icon/avatar'
import { Button } from '../../../src/ui/button'
import { Chart } from '../../../src/ui/chart/chart'
import { Combobox } from '../../../src/ui/form/combobox'
import { Checkbox } from '../../../src/ui/form/choice'
import { Dock } from '../../../src/ui/overlay/dock'
import { GroupField } from '../../../src/ui/form/choice-field'
import { Form, FormFooter } from '../../../src/ui/form/form'
import { LevelsField } from '../../../src/ui/form/levels-field'
import { SecondsField } from '../../../src/ui/form/seconds-field'
import { MultiSelectField } from '../../../src/ui/form/select-field'
import { NumberField, TextareaField, TextField } from '../../../src/ui/form/text-field'
import * as Menu from '../../../src/ui/overlay/menu'
import { MultiSelect } from '../../../src/ui/form/multi-select'
import { Panel } from '../../../src/ui/layout/panel'
import { Segment } from '../../../src/ui/form/segment'
import * as Table from '../../../src/ui/list/table'
import { DateTime } from '../../../src/ui/text/time'
import { Gallery } from './gallery'

let root: Root | undefined
let host: HTMLElement | undefined

const mount = (element: ReactNode) => {
  host = document.body.appendChild(document.createElement('div'))
  root = createRoot(host)
  root.render(element)
}

afterEach(() => {
  root?.unmount()
  host?.remove()
  delete document.documentElement.dataset.theme
})

const violations = async (scope: Element | Document = document) => {
  const { violations: found } = await axe.run(scope, {
    // The sample page shows all components at once, so its headings are not in order.
    rules: { 'heading-order': { enabled: false }, 'page-has-heading-one': { enabled: false }, region: { enabled: false } },
  })
  return found.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.html.slice(0, 200)).join(' | ')}`)
}

const settled = () =>
  Promise.all(
    document
      .getAnimations()
      .filter((a) => a.effect?.getComputedTiming().iterations === 1)
      .map((a) => a.finished),
  )

const faces = [
  ['Inter', inter],
  ['a wide typeface', wideFace],
  ['a narrow typeface', narrowFace],
] as const

/** Installs a typeface under the name that the theme asks for first, for this test. */
const useFace = async (url: string) => {
  const face = await new FontFace('Segoe UI Variable Text', `url(${url})`).load()
  document.fonts.add(face)
  onTestFinished(() => void document.fonts.delete(face))
}

/** What reaches out of the page, innermost first. */
const tooWide = (width: number) =>
  [...document.querySelectorAll('main *, header *, aside *')]
    .filter((one) => one.getBoundingClientRect().right > width && document.documentElement.scrollWidth > width)
    .map((one) => one.outerHTML.slice(0, 160))
    .toReversed()
    .slice(0, 8)

it('nothing in a menu can be pressed before the menu has its place', async () => {
  const seen: { above: boolean; visibility: string }[] = []
  const watch = new MutationObserver(() => {
    const item = document.querySelector('[role=menuitem]')
    if (item) seen.push({ above: item.getBoundingClientRect().bottom < 0, visibility: getComputedStyle(item).visibility })
  })
  watch.observe(document.body, { subtree: true, childList: true, attributes: true })
  onTestFinished(() => watch.disconnect())
  mount(
    <Menu.Root defaultOpen>
      <Menu.Trigger>More</Menu.Trigger>
      <Menu.Content>
        <Menu.Item value="disable">Disable…</Menu.Item>
      </Menu.Content>
    </Menu.Root>,
  )
  await expect.element(page.getByRole('menuitem', { name: 'Disable…' })).toBeVisible()
  await expect.poll(() => seen.at(-1)).toEqual({ above: false, visibility: 'visible' })
  expect(seen.filter(({ above }) => above).length).toBeGreaterThan(0)
  expect(seen.filter(({ above, visibility }) => above && visibility !== 'hidden')).toEqual([])
})

it('a table that is wider than its panel scrolls in its own box, and not the page', async () => {
  mount(
    <Panel flush title="Tokens">
      <Table.Root caption="Tokens" auto scroll>
        <Table.Head>
          <Table.Th>Name</Table.Th>
          <Table.Th>Made by</Table.Th>
          <Table.Th aria-label="Actions" />
        </Table.Head>
        <Table.Body>
          <Table.Row>
            <Table.Cell>Build server</Table.Cell>
            <Table.Cell>{'N'.repeat(200)}</Table.Cell>
            <Table.Cell menu />
          </Table.Row>
        </Table.Body>
      </Table.Root>
    </Panel>,
  )
  await expect.element(page.getByRole('cell', { name: /^N/ })).toBeInTheDocument()
  const { scrollWidth, clientWidth } = document.documentElement
  expect(scrollWidth).toBe(clientWidth)
})

it('a long title of a panel breaks, and is not cut at its edge', async () => {
  await page.viewport(320, 640)
  mount(<Panel title={'Hedgerow'.repeat(8)}>Plan</Panel>)
  const heading = page.getByRole('heading', { name: 'Hedgerow' })
  await expect.element(heading).toBeVisible()
  const { scrollWidth, clientWidth } = heading.element()
  expect(scrollWidth).toBeLessThanOrEqual(clientWidth)
  const panel = heading.element().closest('section')
  expect(heading.element().getBoundingClientRect().right).toBeLessThanOrEqual(panel?.getBoundingClientRect().right ?? 0)
})

it('a date shows seconds and its age in a tooltip, computed when pointed at', async () => {
  const moment = new Date(2026, 2, 4, 5, 6, 7)
  mount(<DateTime value={moment} />)
  const date = page.getByText('03/04/2026 05:06 AM', { exact: true })
  const told = async () => (await expect.element(date).toBeVisible(), date.element().getAttribute('title'))
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date'], now: moment.getTime() + 3 * 3_600_000 })
  await userEvent.hover(date)
  expect(await told()).toMatch(/^03\/04\/2026 05:06:07 AM [+-]\d\d:\d\d, 3 h ago$/)
  await userEvent.unhover(date)
  vi.setSystemTime(moment.getTime() - 2 * 86_400_000)
  await userEvent.hover(date)
  expect(await told()).toMatch(/, in 2 d$/)
})

describe('every part', () => {
  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('has no axe violation in %s at %d px', async (theme, width) => {
    await page.viewport(width, 800)
    document.documentElement.dataset.theme = theme
    mount(<Gallery />)
    await expect.element(page.getByRole('img', { name: /^CPU temperature/ })).toBeVisible()
    await settled()
    expect(await violations()).toEqual([])
  })

  it.each(
    [320, 390].flatMap((width) => [
      ['the typeface of the machine', width, undefined] as const,
      ...faces.map(([name, url]) => [name, width, url] as const),
    ]),
  )('with %s never scrolls the page sideways at %d px', async (_, width, url) => {
    await page.viewport(width, 640)
    if (url !== undefined) await useFace(url)
    mount(<Gallery />)
    await expect.element(page.getByRole('img', { name: /^CPU temperature/ })).toBeVisible()
    expect(tooWide(width)).toEqual([])
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width)
  })

  it.each(['light', 'dark'] as const)('has no violation when floating, in %s', async (theme) => {
    await page.viewport(1280, 800)
    document.documentElement.dataset.theme = theme
    mount(<Gallery />)
    for (const [opener, role] of [
      ['Actions', 'menu'],
      ['Revoke…', 'dialog'],
      ['Entry 805', 'dialog'],
    ] as const) {
      await page.getByRole('button', { name: opener, exact: true }).click()
      await expect.element(page.getByRole(role)).toBeVisible()
      await settled()
      expect(await violations(page.getByRole(role).element())).toEqual([])
      await userEvent.keyboard('{Escape}')
      await expect.element(page.getByRole(role)).not.toBeInTheDocument()
    }
  })
})

describe('the style sheets', () => {
  const sheet = theme + rest

  it('holds no declaration that the browser does not understand', () => {
    const declarations = [...sheet.matchAll(/[{;]\s*([a-z][a-z-]*)\s*:\s*([^;{}]+)(?=[;}])/g)].map(
      ([, name = '', value = '']) => [name, value.trim()] as const,
    )
    expect(declarations.length).toBeGreaterThan(500)
    const unknown = declarations.filter(
      ([name, value]) => !value.includes('var(') && !CSS.supports(name, value.replace(/\s*!important$/, '')),
    )
    expect(
      [...new Set(unknown.map(([name, value]) => `${name}: ${value}`))].filter(
        (text) => !/^(-moz-|text-size-adjust|font-feature)/.test(text),
      ),
    ).toEqual([])
  })

  it('changes its layout at the six widths of §9 alone', () => {
    const widths = [...sheet.matchAll(/@media([^{]+)\{/g)].flatMap(([, query = '']) =>
      [...query.matchAll(/(min-|max-)?width\s*(?:[<>]=?|:)\s*([\d.]+)(px|rem|em)/g)].map(([, , value, unit]) =>
        Math.round(Number(value) * (unit === 'px' ? 1 : 16)),
      ),
    )
    expect(new Set(widths).size).toBeGreaterThan(3)
    expect([...new Set(widths)].filter((width) => ![320, 640, 768, 1024, 1280, 1536].includes(width))).toEqual([])
  })

  it('names no custom property that it does not define', () => {
    const defined = new Set([...sheet.matchAll(/(--[\w-]+)\s*:/g)].map(([, name]) => name))
    const set = new Set([
      '--share',
      '--at',
      '--width',
      '--x',
      '--y',
      '--scale',
      '--opacity',
      '--z-index',
      '--height',
      '--inspector',
      '--columns',
      '--row',
    ])
    const used = [...sheet.matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => name)
    expect([...new Set(used.filter((name) => !defined.has(name) && !set.has(name)))]).toEqual([])
  })
})

describe('Button', () => {
  it('does nothing while busy, keeps its width, and shows its busy label', async () => {
    const clicked = vi.fn()
    const Sample = ({ busy }: { busy: boolean }) => (
      <Button busy={busy} busyLabel="Saving..." onClick={clicked}>
        Save
      </Button>
    )
    mount(<Sample busy={false} />)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const before = page.getByRole('button').element().getBoundingClientRect().width
    root?.render(<Sample busy />)
    await expect.element(page.getByRole('button', { name: 'Saving...', exact: true })).toBeInTheDocument()
    page
      .getByRole('button')
      .element()
      .dispatchEvent(new MouseEvent('click', { bubbles: true }))
    expect(page.getByRole('button').element().getBoundingClientRect().width).toBe(before)
    expect(clicked).toHaveBeenCalledTimes(1)
  })

  it('stays focusable when refused, and says who is allowed', async () => {
    const clicked = vi.fn()
    mount(
      <Button refused="Needs “update projects”." onClick={clicked}>
        Rename
      </Button>,
    )
    const button = page.getByRole('button', { name: 'Rename' })
    await expect.element(button).toHaveAccessibleDescription('Needs “update projects”.')
    await userEvent.tab()
    expect(document.activeElement).toBe(button.element())
    await userEvent.keyboard('{Enter}')
    expect(clicked).not.toHaveBeenCalled()
  })
})

const fruits = ['Apple', 'Blackcurrant', 'Élderberry', 'Fig'].map((label) => ({ value: label.toLowerCase(), label }))
const boxOf = (part: { element: () => Element }) => part.element().getBoundingClientRect()

const NameField = ({ error }: { error?: string }) => <TextField label="Name" required hint="Shown on the card." error={error} />

const ThreeFields = ({ attempt, wrong = ['Version must be higher than 20500'] }: { attempt: number; wrong?: string[] }) => (
  <Form onSubmit={() => {}} attempt={attempt} footer={<FormFooter />}>
    <TextField label="Name" required />
    <TextField label="Version" required error={attempt > 0 ? wrong[0] : undefined} />
    <MultiSelectField
      label="Models"
      items={fruits}
      value={[]}
      onValueChange={() => {}}
      error={attempt > 0 ? wrong[1] : undefined}
    />
  </Form>
)

describe('fields', () => {
  it('ties label, asterisk, hint and error to the control', async () => {
    mount(<NameField />)
    const control = page.getByRole('textbox', { name: 'Name' })
    await expect.element(control).toHaveAccessibleDescription('Shown on the card.')
    await expect.element(control).toBeRequired()
    root?.render(<NameField error="Already exists" />)
    await expect.element(control).toHaveAccessibleDescription('Already exists')
    await expect.element(control).toBeInvalid()
  })

  it('says what is wrong beneath the input, in red, and marks what is required (§5)', async () => {
    mount(<NameField error="Already exists" />)
    const [input, said, asterisk] = [page.getByRole('textbox'), page.getByText('Already exists'), page.getByText('*')]
    await expect.element(said).toBeVisible()
    await expect.element(asterisk).toBeVisible()
    expect(boxOf(said).top).toBeGreaterThanOrEqual(boxOf(input).bottom)
    const [red = 0, green = 0, blue = 0] = getComputedStyle(said.element()).color.match(/\d+/g)?.map(Number) ?? []
    expect([red > 2 * green, red > 2 * blue]).toEqual([true, true])
  })

  it('shows the tooltip of the info sign while it is pointed at or has the focus, and describes the sign by it (§2)', async () => {
    mount(<TextField label="Name" info="It is shown on the card of the project." />)
    const [sign, tip] = [page.getByRole('button', { name: 'More about this field' }), page.getByText('It is shown on the card')]
    await expect.element(sign).toHaveAccessibleDescription('It is shown on the card of the project.')
    // The pointer is where the previous test left it.
    await page.getByRole('textbox').hover()
    await expect.element(tip).not.toBeVisible()
    await sign.hover()
    await expect.element(tip).toBeVisible()
    await page.getByRole('textbox').hover()
    await expect.element(tip).not.toBeVisible()
    await userEvent.tab()
    await expect.element(sign).toHaveFocus()
    await expect.element(tip).toBeVisible()
  })

  it.each([
    [1, 4],
    [4, 4],
    [12, 12],
    [10_000, 10_000],
    [20_000, 10_000],
  ])('gives a multi-line input that asks for %d rows %d of them (§9)', async (asked, given) => {
    mount(<TextareaField label="Notes" rows={asked} />)
    await expect.element(page.getByRole('textbox', { name: 'Notes' })).toHaveAttribute('rows', String(given))
  })

  it('keeps what was typed into a number, even when it is none', async () => {
    mount(<NumberField label="Interval" unit="s" />)
    const control = page.getByRole('textbox', { name: 'Interval' })
    await control.fill('3o')
    await expect.element(control).toHaveValue('3o')
    await expect.element(control).toHaveAttribute('inputmode', 'decimal')
    await expect.element(page.getByText('s', { exact: true })).toBeVisible()
  })

  it('focuses the first wrong field after a refused attempt, and names all of them to screen readers', async () => {
    mount(<ThreeFields attempt={0} />)
    const summary = page.getByRole('status')
    await expect.element(page.getByRole('textbox', { name: 'Version' })).toBeVisible()
    await expect.element(summary).toHaveTextContent(/^$/)
    root?.render(<ThreeFields attempt={1} />)
    await expect.element(page.getByRole('textbox', { name: 'Version' })).toHaveFocus()
    await expect.element(summary).toHaveTextContent(/^1 field to correct: Version$/)
    root?.render(<ThreeFields attempt={2} wrong={['Version must be higher than 20500', 'Models is required']} />)
    await expect.element(summary).toHaveTextContent(/^2 fields to correct: Version, Models$/)
    // It is hidden visually: the fields themselves show their errors.
    expect(boxOf(summary).width).toBeLessThanOrEqual(1)
  })

  it('a form removes the list of fields to correct when it is submitted again', async () => {
    mount(<ThreeFields attempt={0} />)
    await expect.element(page.getByRole('textbox', { name: 'Version' })).toBeVisible()
    root?.render(<ThreeFields attempt={1} />)
    const summary = page.getByRole('status')
    await expect.element(summary).toHaveTextContent(/^1 field to correct: Version$/)
    root?.render(<ThreeFields attempt={1} wrong={[]} />)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.element(summary).toHaveTextContent(/^$/)
  })

  it('focuses the control of a wrong field, not the info sign beside its label', async () => {
    const sample = (attempt: number) => (
      <Form onSubmit={() => {}} attempt={attempt} footer={<FormFooter />}>
        <TextField label="Name" />
        <GroupField label="Channels" info="Where it is offered" error={attempt > 0 ? 'Choose a channel' : undefined}>
          <Checkbox>Stable</Checkbox>
        </GroupField>
      </Form>
    )
    mount(sample(0))
    await expect.element(page.getByRole('checkbox', { name: 'Stable' })).toBeVisible()
    root?.render(sample(1))
    await expect.element(page.getByRole('checkbox', { name: 'Stable' })).toHaveFocus()
  })

  it('leaves validation to the schema (§5)', async () => {
    const submitted = vi.fn()
    mount(
      <Form onSubmit={(values) => submitted(values.get('size'))} footer={<FormFooter />}>
        <TextField label="Size" name="size" type="email" defaultValue="not an address" />
      </Form>,
    )
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(submitted).toHaveBeenCalledExactlyOnceWith('not an address')
  })
})

describe('the sizes of §9', () => {
  it.each([
    [1280, 600],
    [600, 600],
    [390, 390],
  ])('in a page of %d px a form is %d px wide, unless it may take the whole width', async (width, wide) => {
    await page.viewport(width, 800)
    const Sample = ({ full }: { full?: boolean }) => (
      <Form full={full ?? false} onSubmit={() => {}} aria-label="Project" footer={<FormFooter onCancel={() => {}} />}>
        <TextField label="Name" />
      </Form>
    )
    mount(<Sample />)
    const form = page.getByRole('form', { name: 'Project' })
    await expect.element(form.getByRole('button', { name: 'Cancel', exact: true })).toBeVisible()
    const room = host?.clientWidth ?? 0
    expect(boxOf(form).width).toBe(Math.min(wide, room))
    root?.render(<Sample full />)
    await expect.poll(() => boxOf(form).width).toBe(room)
  })

  it.each([
    [1280, 400],
    [800, 400],
    [700, 350],
    [500, 250],
    [390, 250],
  ])('on a screen of %d px the upload panel is %d px wide and at the bottom', async (width, wide) => {
    await page.viewport(width, 600)
    const nothing = () => {}
    mount(
      <Dock
        title="Upload Progress"
        collapsed={false}
        onToggle={nothing}
        onClose={nothing}
        closeLabel="close file upload progress"
      >
        <p>gateway.bin</p>
      </Dock>,
    )
    const panel = page.getByRole('region', { name: 'Upload Progress' })
    await expect.element(panel).toBeVisible()
    await settled()
    expect([boxOf(panel).width, boxOf(panel).bottom]).toEqual([wide, 600])
  })

  it('an avatar is 26 px: the picture, else the letter of the e-mail or a question mark over a generated pattern', async () => {
    const shown = (email: string | null, image?: string) => <Avatar label="Somebody" email={email} image={image} />
    const avatar = page.getByRole('img', { name: 'Somebody' })
    const pattern = () => avatar.element().querySelector('svg, i')?.outerHTML
    mount(shown('ines@hedgerow.example'))
    await expect.element(avatar.getByText('I', { exact: true })).toBeVisible()
    await expect.poll(pattern).toBeDefined()
    const hers = pattern()
    expect([boxOf(avatar).width, boxOf(avatar).height]).toEqual([26, 26])
    root?.render(shown(null))
    await expect.element(avatar.getByText('?', { exact: true })).toBeVisible()
    await expect.poll(pattern).not.toBe(hers)
    root?.render(shown('ines@hedgerow.example', new URL(picture, window.location.href).href))
    const image = () => avatar.element().querySelector('img')
    await expect.poll(() => image()?.naturalWidth).toBeGreaterThan(0)
    expect([image()?.getBoundingClientRect().width, image()?.getBoundingClientRect().height]).toEqual([26, 26])
  })
})

it.each([
  [Number.POSITIVE_INFINITY, 'Invalid amount'],
  [Number.NEGATIVE_INFINITY, 'Invalid amount'],
  [Number.NaN, 'Invalid amount'],
  [999, '999'],
  [1234, '1.2K'],
  [2_500_000, '2.5M'],
  [7_000_000_000, '7.0B'],
  [1_260_000_000_000, '1.3T'],
])('a chart formats %d as %s (§8, §9)', async (value, words) => {
  await page.viewport(1280, 800)
  mount(<Chart title="Load" times={[1, 2, 3]} series={[{ label: 'p50', values: [value, value, value] }]} />)
  await page.getByRole('img', { name: /^Load/ }).hover()
  await expect.element(page.getByText(new RegExp(` · p50 ${words}$`))).toBeVisible()
})

it('a chart shows the same values as a table, newest first and without the times of gaps', async () => {
  await page.viewport(1280, 800)
  const series = [{ label: 'p50', values: [1, null, 3], upper: [2, null, 4], upperLabel: 'p95' }]
  mount(<Chart table title="Load" times={[60, 120, 180]} series={series} unit="%" />)
  await page.getByRole('button', { name: 'Show Load as a table' }).click()
  const table = page.getByRole('table', { name: 'Load' })
  await expect.element(table).toBeVisible()
  const rows = [...table.element().querySelectorAll('tr')].map((row) => [...row.cells].slice(1).map((cell) => cell.textContent))
  expect(rows).toEqual([
    ['p50', 'p95'],
    ['3 %', '4 %'],
    ['1 %', '2 %'],
  ])
  await page.getByRole('button', { name: 'Show Load as a chart' }).click()
  await expect.element(page.getByRole('img', { name: /^Load/ })).toBeVisible()
})

it('a chart tells which range was dragged over, and not about a click', async () => {
  await page.viewport(1280, 800)
  const zoomed = vi.fn<(from: number, to: number) => void>()
  const times = Array.from({ length: 101 }, (_, n) => n * 60)
  mount(<Chart title="Load" times={times} series={[{ label: 'p50', values: times }]} onZoom={zoomed} />)
  const chart = page.getByRole('img', { name: /^Load/ })
  await expect.element(chart).toBeVisible()
  await expect.poll(() => document.querySelector('.u-over')).not.toBeNull()
  const over = document.querySelector('.u-over') as HTMLElement
  const { left, top, width } = over.getBoundingClientRect()
  const at = (type: string, share: number, target: EventTarget = over) =>
    target.dispatchEvent(
      new MouseEvent(type, { bubbles: true, clientX: left + width * share, clientY: top + 20, movementX: 1, view: window }),
    )
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  const drag = async (from: number, to: number) => {
    at('mousemove', from)
    at('mousedown', from)
    at('mousemove', to)
    await drawn()
    at('mouseup', to, document)
  }
  await drag(0.5, 0.5)
  expect(zoomed).not.toHaveBeenCalled()
  await drag(0.25, 0.75)
  await expect.poll(() => zoomed).toHaveBeenCalledOnce()
  const [from, to] = zoomed.mock.calls[0] ?? []
  expect(Math.round((from ?? 0) / 60)).toBe(25)
  expect(Math.round((to ?? 0) / 60)).toBe(75)
})

describe('choices', () => {
  it('finds by typing, ignoring accents, and says Not Found (§5)', async () => {
    const chosen = vi.fn()
    mount(<Combobox label="Fruit" items={fruits} onValueChange={chosen} />)
    const box = page.getByRole('combobox', { name: 'Fruit' })
    await box.fill('zzz')
    await expect.element(page.getByText('Not Found', { exact: true })).toBeVisible()
    // The control gets its text once more in the next frame, which would undo the selection that `fill` replaces.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame)
    await box.fill('eld')
    await expect.element(page.getByRole('option', { name: 'Élderberry' })).toBeVisible()
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await expect.poll(() => chosen).toHaveBeenLastCalledWith('élderberry')
    await expect.element(box).toHaveValue('Élderberry')
  })

  it('accepts several, and removes the last one with Backspace', async () => {
    const changed = vi.fn()
    mount(<MultiSelect label="Fruits" items={fruits} value={['apple', 'fig']} onValueChange={changed} />)
    await page.getByRole('combobox', { name: 'Fruits' }).click()
    await userEvent.keyboard('{Backspace}')
    expect(changed).toHaveBeenLastCalledWith(['apple'])
    await page.getByRole('button', { name: 'Remove Apple' }).click()
    expect(changed).toHaveBeenLastCalledWith(['fig'])
  })

  it('two levels can be typed or dragged', async () => {
    const level = (name: string, defaultValue: number) => ({
      name,
      label: name,
      handle: `${name} handle`,
      kind: 'warning' as const,
      defaultValue,
    })
    const heard = vi.fn()
    mount(<LevelsField unit="%" range={[0, 100]} lower={level('warm', 80)} upper={level('hot', 90)} onLevels={heard} />)
    const [warm, hot] = [page.getByRole('textbox', { name: 'warm' }), page.getByRole('textbox', { name: 'hot' })]
    const handle = page.getByRole('slider', { name: 'warm handle' })
    await expect.element(handle).toHaveValue('80')
    handle.element().focus()
    await userEvent.keyboard('{ArrowRight}{ArrowRight}')
    await expect.element(warm).toHaveValue('82')
    expect(heard).toHaveBeenLastCalledWith(82, 90)
    // A handle stops at the other one; typed text may be wrong, and stays.
    await userEvent.keyboard('{End}')
    await expect.element(warm).toHaveValue('89')
    await warm.fill('95 or so')
    await expect.element(warm).toHaveValue('95 or so')
    expect(heard).toHaveBeenLastCalledWith(89, 90)
    await hot.fill('97')
    await expect.element(page.getByRole('slider', { name: 'hot handle' })).toHaveValue('97')
    // Arrow keys change the input too, and the form is notified.
    await hot.click()
    await userEvent.keyboard('{ArrowUp}{Shift>}{ArrowDown}{/Shift}')
    await expect.element(hot).toHaveValue('88')
  })

  it('shows a duration in readable units too', async () => {
    mount(<SecondsField label="Quarantine" defaultValue={86_400} />)
    await expect.element(page.getByText('s = 1 d')).toBeVisible()
    await page.getByRole('textbox', { name: 'Quarantine' }).fill('5400')
    await expect.element(page.getByText('s = 1 h 30 min')).toBeVisible()
    await page.getByRole('textbox', { name: 'Quarantine' }).fill('30')
    await expect.element(page.getByText('s', { exact: true })).toBeVisible()
  })

  it('moves along a segment with the arrows', async () => {
    const changed = vi.fn()
    mount(
      <Segment
        label="Range"
        defaultValue="a"
        onValueChange={changed}
        items={[
          { value: 'a', label: '1 h' },
          { value: 'b', label: '24 h' },
        ]}
      />,
    )
    await page.getByRole('radio', { name: '1 h' }).click()
    await userEvent.keyboard('{ArrowRight}')
    await expect.element(page.getByRole('radio', { name: '24 h' })).toBeChecked()
    expect(changed).toHaveBeenLastCalledWith('b')
  })
})
