import fc from 'fast-check'
import { expect, it } from 'vitest'
import '../../../tests/support/fixed-seed'
import { repetitions } from '../../../tests/support/counts'
import { attachment } from './attachment'

const part = fc.constantFrom('\r\n', '\n', '"', ';', '\\', '../', '%0d%0a', "'", '*', '\0', '“', '🌿', '.sh')
const name = fc
  .array(fc.oneof(part, fc.string({ maxLength: 8 }), fc.string({ unit: 'grapheme', maxLength: 8 })))
  .map((parts) => parts.join(''))

it('T-23: no name of a file adds a header, ends its parameter or is another one for the browser', () => {
  fc.assert(
    fc.property(name, (file) => {
      const [, plain, encoded = ''] =
        /^attachment; filename="([\w.+-]*)"; filename\*=UTF-8''([\w.%!~-]*)$/.exec(attachment(file)) ?? []
      expect(plain).toBeDefined()
      expect(decodeURIComponent(encoded)).toBe(file)
    }),
    { numRuns: repetitions(1000, 20_000) },
  )
})
