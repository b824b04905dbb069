import { expect, it } from 'vitest'
import { rangesOf } from './range'

it.each([
  [undefined, null],
  ['bytes=0-', [{ start: 0, end: 99 }]],
  ['bytes=10-19', [{ start: 10, end: 19 }]],
  ['bytes=90-500', [{ start: 90, end: 99 }]],
  ['bytes=99-99', [{ start: 99, end: 99 }]],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-10', [{ start: 90, end: 99 }]],
  ['bytes=-500', [{ start: 0, end: 99 }]],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=-', null],
  ['bytes=', null],
  ['bytes=9-3', null],
  ['items=0-1', null],
  ['bytes=a-b', null],
  [
    'bytes=0-1,5-6',
    [
      { start: 0, end: 1 },
      { start: 5, end: 6 },
    ],
  ],
  [
    'bytes=0-1, 98-200',
    [
      { start: 0, end: 1 },
      { start: 98, end: 99 },
    ],
  ],
  ['bytes=0-1,200-300', [{ start: 0, end: 1 }]],
  ['bytes=200-300,400-', 'unsatisfiable'],
  ['bytes=5-6,0-1', null],
  ['bytes=0-5,5-6', null],
  ['bytes=0-1,x', null],
  ['bytes=0-1,', null],
])('%j of 100 bytes is %j', (header, parts) => expect(rangesOf(header, 100)).toEqual(parts))

it('takes 256 ranges, and sends the whole for more', () => {
  const header = (count: number) => `bytes=${Array.from({ length: count }, (_, n) => `${n * 4}-${n * 4 + 1}`).join(',')}`
  expect(rangesOf(header(256), 10_000)).toHaveLength(256)
  expect(rangesOf(header(257), 10_000)).toBeNull()
})
