import { describe, expect, it } from 'vitest'
import { withoutSummaries } from './drop-summaries'

describe('the contract in the build of the console', () => {
  it('has no summaries of endpoints, and the same lines', () => {
    const source = `
export const rename = endpoint({
  method: 'PATCH',
  summary: "Change the name of a member's device.",
  rate: 'write',
})
export const read = endpoint({
  summary:
    'Get a device, of which this is a long description.',
  answer: type({ summary: string() }),
})
`
    expect(withoutSummaries(source)).toBe(`
export const rename = endpoint({
  method: 'PATCH',

  rate: 'write',
})
export const read = endpoint({


  answer: type({ summary: string() }),
})
`)
  })

  it('fails when an endpoint writes its summary in another way', () => {
    expect(() => withoutSummaries('export const read = endpoint({\n  summary: text,\n})')).toThrow('1 endpoints have 0 summaries')
  })
})
