import { describe, expect, it } from 'vitest'
import { labelsOf } from './static-labels'

describe('R25: the catalogue of labels matches the sources', () => {
  it('includes text between tags, labels and both texts of a conditional', () => {
    const source = `
      const items = [{ value: 'a', label: 'First one' }]
      export const Part = ({ name, edit, submitLabel = 'Submit it' }) => (
        <>
          <Button busyLabel="Saving..." onClick={() => go('not this')}>
            {edit ? 'Save' : 'Create device'}
          </Button>
          <button aria-label="Close" className="nor-this">Remove
            all</button>
        </>
      )`
    expect(labelsOf(source)).toEqual(
      new Set(['First one', 'Saving...', 'Save', 'Create device', 'Close', 'Remove all', 'Submit it']),
    )
  })

  it('includes no text that is composed at runtime', () => {
    const source = "const Part = ({ name }) => <button aria-label={`Delete ${name}`}>{name}{t('key')}</button>"
    expect(labelsOf(source)).toEqual(new Set())
  })
})
