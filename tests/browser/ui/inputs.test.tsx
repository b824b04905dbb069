import { createRoot } from 'react-dom/client'
import { type ReactNode, useState } from 'react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import '../../../src/theme/theme.css'
import '../../../src/ui/rest'
import * as Dialog from '../../../src/ui/overlay/dialog'
import { ReadOnlyField } from '../../../src/ui/form/field'
import { FileField } from '../../../src/ui/form/file-field'
import { Form, FormFooter } from '../../../src/ui/form/form'
import { ComboboxField, MultiSelectField, SelectField } from '../../../src/ui/form/select-field'
import { DateTime, RelativeTime } from '../../../src/ui/text/time'
import { toaster, Toaster } from '../../../src/ui/overlay/toast'

const mount = (element: ReactNode) => {
  const host = document.body.appendChild(document.createElement('div'))
  const root = createRoot(host)
  root.render(element)
  onTestFinished(() => {
    root.unmount()
    host.remove()
  })
}

const modes = ['A/B rootfs', 'File', 'Delta'].map((label) => ({ value: label.toLowerCase(), label }))
const towns = ['Baja', 'Eger', 'Győr', 'Makó', 'Pécs', 'Sopron', 'Szeged', 'Vác'].map((label) => ({
  value: label.toLowerCase(),
  label,
}))
const box = (name: string) => page.getByRole('combobox', { name, exact: true })
const option = (name: string) => page.getByRole('option', { name, exact: true })
const notFound = page.getByText('Not Found', { exact: true })

describe('the shared inputs of §2', () => {
  it('a select with few options is readable, usable by keyboard, and part of the form under its name', async () => {
    const submitted = vi.fn()
    mount(
      <Form onSubmit={(values) => submitted(values.get('mode'))} footer={<FormFooter />}>
        <SelectField label="Update mode" name="mode" items={modes} defaultValue="file" required />
      </Form>,
    )
    const control = page.getByRole('combobox', { name: /^Update mode/ })
    await expect.element(control).toHaveTextContent('File')
    control.element().focus()
    await userEvent.keyboard('{Enter}')
    await expect.element(option('Delta')).toBeVisible()
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await expect.element(control).toHaveTextContent('Delta')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(submitted).toHaveBeenCalledExactlyOnceWith('delta')
  })

  it('a select whose value is not among its options shows no option as chosen and sends none, until one is chosen', async () => {
    const submitted = vi.fn()
    mount(
      <Form onSubmit={(values) => submitted(values.get('mode'))} footer={<FormFooter />}>
        <SelectField label="Update mode" name="mode" items={modes} defaultValue="gone" />
      </Form>,
    )
    const control = page.getByRole('combobox', { name: /^Update mode/ })
    await expect.element(control).toHaveTextContent('Choose')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(submitted).toHaveBeenLastCalledWith(null)
    await control.click()
    await option('File').click()
    await expect.element(control).toHaveTextContent('File')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(submitted).toHaveBeenLastCalledWith('file')
  })

  it('a select sends its value when its options arrive later, and none when its option is removed', async () => {
    const submitted = vi.fn()
    const Changing = () => {
      const [items, setItems] = useState<typeof modes>([])
      return (
        <>
          <SelectField label="Update mode" name="mode" items={items} defaultValue="file" />
          <button type="button" onClick={() => setItems(modes)}>
            All modes
          </button>
          <button type="button" onClick={() => setItems(modes.filter(({ value }) => value !== 'file'))}>
            Other modes
          </button>
        </>
      )
    }
    mount(
      <Form onSubmit={(values) => submitted(values.get('mode'))} footer={<FormFooter />}>
        <Changing />
      </Form>,
    )
    const control = page.getByRole('combobox', { name: /^Update mode/ })
    await expect.element(control).toHaveTextContent('Choose')
    await page.getByRole('button', { name: 'All modes' }).click()
    await expect.element(control).toHaveTextContent('File')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(submitted).toHaveBeenLastCalledWith('file')
    await page.getByRole('button', { name: 'Other modes' }).click()
    await expect.element(control).toHaveTextContent('Choose')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(submitted).toHaveBeenLastCalledWith(null)
  })

  it('a searched select whose value is not in its list shows no option as chosen and sends none, until one is chosen', async () => {
    const submitted = vi.fn()
    mount(
      <Form onSubmit={(values) => submitted(values.get('town'))} footer={<FormFooter />}>
        <SelectField label="Town" name="town" items={towns} defaultValue="atlantis" />
      </Form>,
    )
    await expect.element(box('Town')).toHaveValue('')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(submitted).toHaveBeenLastCalledWith(null)
    await box('Town').fill('Eger')
    await userEvent.keyboard('{Enter}')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(submitted).toHaveBeenLastCalledWith('eger')
  })

  it("an empty select says 'Not Found' (§5)", async () => {
    mount(<SelectField label="Update mode" items={[]} />)
    await page.getByRole('combobox', { name: /^Update mode/ }).click()
    await expect.element(notFound).toBeVisible()
  })

  it.each([
    ['more than seven entries', <SelectField key="a" label="Town" items={towns} />],
    ['its own name', <ComboboxField key="a" label="Town" items={towns} />],
  ])("a select of %s is searched, and says 'Not Found' when nothing matches (§5)", async (_, field) => {
    mount(field)
    await box('Town').fill('gyor')
    await expect.element(option('Győr')).toBeVisible()
    expect(page.getByRole('option').elements()).toHaveLength(1)
    await box('Town').fill('Atlantis')
    await expect.element(notFound).toBeVisible()
  })

  it('Enter in a searched select chooses the first matching option', async () => {
    const chosen = vi.fn()
    mount(<ComboboxField label="Town" items={towns} onValueChange={chosen} />)
    await box('Town').click()
    await userEvent.keyboard('szeged{Enter}')
    await expect.element(box('Town')).toHaveValue('Szeged')
    expect(chosen).toHaveBeenLastCalledWith('szeged')
    await box('Town').fill('op')
    await userEvent.keyboard('{Enter}')
    await expect.element(box('Town')).toHaveValue('Sopron')
    expect(chosen).toHaveBeenLastCalledWith('sopron')
  })

  it.each([
    ['a searched select', <ComboboxField key="a" label="Town" items={towns} />],
    ['a select', <SelectField key="b" label="Town" items={towns.slice(0, 5)} />],
  ])('the list of %s that has closed leaves the focus where it is, in a dialog too', async (_, field) => {
    mount(
      <Dialog.Root open>
        <Dialog.Window title="Where">
          {field}
          <button type="button">Next</button>
        </Dialog.Window>
      </Dialog.Root>,
    )
    const control = page.getByRole('combobox', { name: /^Town/ })
    await control.click()
    const next = page.getByRole('button', { name: 'Next', exact: true, includeHidden: true }).element() as HTMLElement
    await expect.element(option('Eger')).toBeVisible()
    await userEvent.keyboard('{ArrowDown}')
    // The focus moves on in the moment in which the list closes, before the next frame.
    const moved = new Promise<void>((resolve) => {
      const closing = new MutationObserver(() => {
        if (control.element().getAttribute('aria-expanded') === 'true') return
        closing.disconnect()
        next.focus()
        resolve()
      })
      closing.observe(control.element(), { attributeFilter: ['aria-expanded'] })
    })
    await userEvent.keyboard('{Enter}')
    await moved
    // Longer than the watch for the late focus.
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(document.activeElement).toBe(next)
  })

  it('leaving a searched select chooses the option whose name was typed', async () => {
    const chosen = vi.fn()
    mount(<ComboboxField label="Town" items={towns} onValueChange={chosen} />)
    await box('Town').click()
    await userEvent.keyboard('gyor{Tab}')
    expect(chosen).toHaveBeenLastCalledWith('győr')
    await expect.element(box('Town')).toHaveValue('Győr')
  })

  it.each(['Enter', 'Tab'])('a searched select says so when nothing in its list is what was typed before %s', async (key) => {
    const chosen = vi.fn()
    mount(<ComboboxField label="Town" items={towns} onValueChange={chosen} />)
    await box('Town').click()
    await userEvent.keyboard(`Atlantis{${key}}`)
    await expect.element(box('Town')).toHaveAccessibleDescription('“Atlantis” is not in the list. Choose an entry from the list.')
    expect(chosen).not.toHaveBeenCalled()
    await box('Town').click()
    await userEvent.keyboard('baj')
    await expect.element(box('Town')).toHaveAccessibleDescription('')
  })

  it.each([
    ['select', <SelectField key="few" label="Town" items={modes} />, '{Enter}'],
    ['searched select', <ComboboxField key="many" label="Town" items={towns} />, 'szeged'],
  ])('a %s does not take the focus back from the control that has it by then', async (_, field, open) => {
    mount(
      <>
        {field}
        <button type="button">Next</button>
      </>,
    )
    const control = page.getByRole('combobox', { name: /^Town/ })
    const next = page.getByRole('button', { name: 'Next' })
    await expect.element(control).toBeVisible()
    control.element().focus()
    await userEvent.keyboard(open)
    // Before an option is highlighted, Enter chooses none, and the list stays open.
    await expect.poll(() => document.querySelector('[role=option][data-highlighted]')).not.toBeNull()
    const held: FrameRequestCallback[] = []
    const frames = vi.spyOn(window, 'requestAnimationFrame').mockImplementation((callback) => held.push(callback))
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => held.length).toBeGreaterThan(0)
    next.element().focus()
    frames.mockRestore()
    held.forEach((callback) => callback(performance.now()))
    await expect.element(page.getByRole('option')).not.toBeInTheDocument()
    await expect.element(next).toHaveFocus()
  })

  it('Enter in a multi-select adds the first matching option', async () => {
    const changed = vi.fn()
    mount(<MultiSelectField label="Towns" items={towns} value={[]} onValueChange={changed} />)
    await box('Towns').click()
    await userEvent.keyboard('vac{Enter}')
    expect(changed).toHaveBeenLastCalledWith(['vác'])
  })

  it("a multi-select keeps each as a token, and says 'Not Found' when nothing matches (§5)", async () => {
    const Sample = () => {
      const [value, setValue] = useState<string[]>([])
      return <MultiSelectField label="Towns" hint="Select all that apply" items={towns} value={value} onValueChange={setValue} />
    }
    mount(<Sample />)
    await expect.element(box('Towns')).toHaveAccessibleDescription('Select all that apply')
    for (const name of ['Szeged', 'Baja']) {
      await box('Towns').fill(name)
      await option(name).click()
      await expect.element(page.getByRole('button', { name: `Remove ${name}`, exact: true })).toBeVisible()
    }
    await box('Towns').fill('Atlantis')
    await expect.element(notFound).toBeVisible()
  })

  it('a file input shows each file with its size in Bytes, KB or MB, up to 2 decimals (§5), and can remove each', async () => {
    const changed = vi.fn()
    mount(
      <FileField
        label="Files"
        multiple
        required
        hint="Of the release"
        onFilesChange={(all) => changed(all.map((f) => f.name))}
      />,
    )
    const control = page.getByLabelText(/^Files/)
    await expect.element(control).toHaveAccessibleDescription('Of the release')
    const files = { 'boot.bin': 612, 'app.bin': 1536, 'root.img': 1_300_000, 'whole.img': 3 * 1024 ** 2 }
    await userEvent.upload(
      control,
      Object.entries(files).map(([name, size]) => new File([new Uint8Array(size)], name)),
    )
    const rows = () =>
      page
        .getByRole('listitem')
        .elements()
        .map((row) => [row.querySelector('code')?.textContent, row.querySelector('span')?.textContent])
    await expect.poll(rows).toEqual([
      ['boot.bin', '612 Bytes'],
      ['app.bin', '1.5 KB'],
      ['root.img', '1.24 MB'],
      ['whole.img', '3 MB'],
    ])
    await page.getByRole('button', { name: 'Remove app.bin', exact: true }).click()
    expect(changed.mock.lastCall).toEqual([['boot.bin', 'root.img', 'whole.img']])
  })

  it('a read-only view is its label and its value, and no control', async () => {
    mount(<ReadOnlyField label="Owner">Hedgerow Instruments</ReadOnlyField>)
    await expect.element(page.getByRole('group', { name: 'Owner', exact: true })).toHaveTextContent('Hedgerow Instruments')
    expect(page.getByRole('group').element().querySelectorAll('input, textarea, select, button')).toHaveLength(0)
  })
})

it('§8: a date that cannot be read is an invalid date, and no failure of the page', async () => {
  mount(
    <p>
      <DateTime value="yesterday" /> and <RelativeTime value="2026-02-30" />
    </p>,
  )
  await expect.element(page.getByText('Invalid Date and Invalid Date', { exact: true })).toBeVisible()
})

describe('messages', () => {
  /** The strongest of red, green and blue, in light and dark. */
  const hue = (shape: Element) => {
    const [red = 0, green = 0, blue = 0] = getComputedStyle(shape).color.match(/\d+/g)?.map(Number) ?? []
    const most = Math.max(red, green, blue)
    return most === red ? 'red' : most === green ? 'green' : 'blue'
  }

  it.each([
    ['success', 'green'],
    ['error', 'red'],
    ['info', 'blue'],
  ] as const)('a notice of %s is %s (§9)', async (type, colour) => {
    mount(<Toaster />)
    const title = `What is said of ${type}`
    toaster.create({ type, title, duration: Number.POSITIVE_INFINITY })
    const notice = page.getByRole('status').filter({ hasText: title })
    await expect.element(notice).toBeVisible()
    const shape = notice.element().querySelector('svg[data-shape]')
    for (const theme of ['light', 'dark']) {
      document.documentElement.dataset.theme = theme
      expect([theme, shape && hue(shape)]).toEqual([theme, colour])
    }
    delete document.documentElement.dataset.theme
    toaster.dismiss()
    await expect.element(notice).not.toBeInTheDocument()
  })
})
