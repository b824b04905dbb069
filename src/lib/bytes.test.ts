import { describe, expect, it } from 'vitest'
import { formatBytes } from './bytes'

describe('formatBytes (§5, R13)', () => {
  it.each([
    [0, '0 Bytes'],
    [1, '1 Bytes'],
    [612, '612 Bytes'],
    [1023, '1023 Bytes'],
    [1024, '1 KB'],
    [1536, '1.5 KB'],
    [1_048_575, '1 MB'],
    [1_048_576, '1 MB'],
    [1024 ** 3, '1 GB'],
    [3.5 * 1024 ** 3, '3.5 GB'],
    [5000 * 1024 ** 3, '5000 GB'],
    [1.206 * 1024 ** 3, '1.21 GB'],
  ])('%d is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('%d is no size', (bytes) => expect(formatBytes(bytes)).toBe('Invalid size'))
})
