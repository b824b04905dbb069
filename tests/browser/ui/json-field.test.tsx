import axe from 'axe-core'
import { createRoot } from 'react-dom/client'
import type { Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import '../../../src/theme/theme.css'
import '../../../src/theme/rest.css'
import { Form, FormFooter } from '../../../src/ui/form/form'
import { JsonField } from '../../../src/ui/form/json-field'

let root: Root
let host: HTMLElement
const submitted = vi.fn()

const Sample = ({ error, attempt = 0 }: { error?: string; attempt?: number }) => (
  <Form onSubmit={(values) => submitted(values.get('metadata'))} attempt={attempt} footer={<FormFooter />}>
    <JsonField
      label="Metadata"
      name="metadata"
      defaultValue={{ site: 'north', rows: 40 }}
      limit={16_384}
      hint="Of your own."
      error={error}
    />
  </Form>
)

beforeEach(() => {
  submitted.mockClear()
  host = document.body.appendChild(document.createElement('div'))
  root = createRoot(host)
})
afterEach(() => {
  root.unmount()
  host.remove()
  delete document.documentElement.dataset.theme
})

const box = () => page.getByRole('textbox', { name: 'Metadata' })
/** The editor has loaded and replaces the text area. */
const arrived = async () => {
  await expect.element(page.getByRole('button', { name: 'Format' })).toBeVisible()
  await expect.element(box()).toHaveAttribute('contenteditable', 'true')
}
/** The focused element in the shadow root; from outside only the host is visible. */
const focused = () =>
  expect.poll(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute('aria-label')).toBe('Metadata')

describe('JsonField', () => {
  it('is a text area first, which the form can read, and then an editor over it', async () => {
    root.render(<Sample />)
    await expect.element(page.getByText('Metadata')).toBeVisible()
    const area = host.querySelector('textarea')
    expect(area?.value).toBe('{\n  "site": "north",\n  "rows": 40\n}')
    await arrived()
    expect(host.querySelectorAll('style').length).toBe(0)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(submitted).toHaveBeenLastCalledWith('{\n  "site": "north",\n  "rows": 40\n}')
  })

  it('gives the form the typed text, and marks the form as changed', async () => {
    const changed = vi.fn()
    host.addEventListener('input', changed)
    root.render(<Sample />)
    await arrived()
    await box().click()
    await userEvent.keyboard('{Control>}a{/Control}{Delete}[[]')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(submitted).toHaveBeenLastCalledWith('[]')
    expect(changed).toHaveBeenCalled()
  })

  it('says line and column of an error, and removes the message once it is fixed', async () => {
    root.render(<Sample />)
    await arrived()
    await box().click()
    await userEvent.keyboard('{Control>}a{/Control}{Delete}{{{Enter}"a" 1')
    await expect.element(page.getByText('Line 2, column 7: a colon is expected')).toBeVisible()
    await expect.element(box()).toHaveAttribute('aria-invalid', 'true')
    await expect.element(box()).toHaveAttribute('aria-description', 'Line 2, column 7: a colon is expected')
    await userEvent.keyboard('{Control>}a{/Control}{Delete}{{}')
    await expect.element(page.getByText('Of your own.')).toBeVisible()
    await expect.element(box()).toHaveAttribute('aria-invalid', 'false')
  })

  it('types over what is selected', async () => {
    root.render(<Sample />)
    await arrived()
    await box().click()
    await userEvent.keyboard('{Control>}a{/Control}{{"a": 1}')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(submitted.mock.lastCall).toEqual(['{"a": 1}'])
  })

  it('is entered and left by Tab', async () => {
    root.render(<Sample />)
    await arrived()
    await userEvent.tab()
    await focused()
    await userEvent.tab()
    await expect.element(page.getByRole('button', { name: 'Format' })).toHaveFocus()
    await userEvent.tab({ shift: true })
    await focused()
  })

  it('has the focus after a refused attempt, with the error message', async () => {
    root.render(<Sample />)
    await arrived()
    root.render(<Sample error="Metadata must be 16 KiB or less" attempt={1} />)
    await expect.element(page.getByText('Metadata must be 16 KiB or less')).toBeVisible()
    await focused()
  })

  it('formats valid JSON', async () => {
    root.render(<Sample />)
    await arrived()
    await box().click()
    await userEvent.keyboard('{Control>}a{/Control}{Delete}{{"a":[[1]}')
    await page.getByRole('button', { name: 'Format' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(submitted).toHaveBeenLastCalledWith('{\n  "a": [\n    1\n  ]\n}')
  })

  it.each(['light', 'dark'] as const)('has no axe violation in %s', async (theme) => {
    document.documentElement.dataset.theme = theme
    root.render(<Sample />)
    await arrived()
    const rules = { 'heading-order': { enabled: false }, 'page-has-heading-one': { enabled: false }, region: { enabled: false } }
    const { violations } = await axe.run(host, { rules })
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)).toEqual([])
  })
})
