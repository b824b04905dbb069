import { afterEach, describe, expect, it } from 'vitest'
import { buttonOf, labelOf } from '../../../src/system/analytics/label'

const catalogue = new Set(['Save', 'Close', 'Choose an organization'])
const named = (html: string, target = 'button') => {
  document.body.innerHTML = html
  const button = buttonOf(document.querySelector(target))
  return button && labelOf(button, catalogue)
}
afterEach(() => {
  document.body.innerHTML = ''
})

describe('R25: the name of a click', () => {
  it('is the label, else the text, as written in the sources', () => {
    expect(named('<button aria-label="Close"><svg><title>x</title></svg></button>')).toBe('Close')
    expect(named('<button><span>Save</span><span aria-hidden="true">Saving...</span></button>')).toBe('Save')
    expect(named('<div role="menuitem"><svg></svg><b>Save</b></div>', 'b')).toBe('Save')
  })
  it('is absent where a button has any other text', () => {
    expect(named('<button>Orchard Gateways</button>')).toBe('unnamed')
    expect(named('<button aria-label="Delete ses_secret">ses_secret</button>')).toBe('unnamed')
    expect(named('<button data-analytics-name="Orchard">Orchard</button>')).toBe('unnamed')
  })
  it('can be set explicitly where the label contains user data', () =>
    expect(named('<button data-analytics-name="Choose an organization" aria-label="Organization: Acme">Acme</button>')).toBe(
      'Choose an organization',
    ))
  it('is sent for buttons only', () => expect(named('<p>Save</p>', 'p')).toBeNull())
})
