import fc from 'fast-check'
import type { AnyStruct } from '../../contract/core/endpoint'

const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])

/** Texts that have broken servers: NUL, lone surrogates, names of prototypes, invalid dates, forged cursors. */
export const badTexts: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u2066',
  '\uffff\ufffe',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '-__proto__',
  '-constructor',
  'x'.repeat(20_000),
  '%00',
  '%',
  '\\',
  "'; select pg_sleep(9) --",
  '$1',
  '{}',
  '[]',
  'null',
  'NaN',
  '1e309',
  '-0',
  '9'.repeat(40),
  '0x10',
  '2027-13-45',
  '2027-13-45T00:00:00+00:00',
  '2027-02-30T25:61:61Z',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59+99:99',
  '+275760-09-13T00:00:00Z',
  '00000000000000000000000000',
  '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  'a@b.cc\u0000',
  'http://[::1',
  '../../etc/passwd',
  '/\u0000',
  cursor([{ toString: 1 }, 'x']),
  cursor(['\u0000', 'x']),
  cursor(['x', '\u0000']),
  cursor([1e300, 'x']),
  cursor([-1, '']),
  cursor(['not a time', '01ARZ3NDEKTSV4RRFFQ69G5FAV']),
  cursor([null, '01ARZ3NDEKTSV4RRFFQ69G5FAV']),
  cursor(['2027-13-45T00:00:00Z', '01ARZ3NDEKTSV4RRFFQ69G5FAV']),
  cursor([Number.MAX_SAFE_INTEGER, '01ARZ3NDEKTSV4RRFFQ69G5FAV']),
  cursor({ length: 2 }),
  cursor([]),
]

/** Values that no honest client sends as JSON. */
const badValues: readonly unknown[] = [
  ...badTexts,
  { toString: 1 },
  { valueOf: 1, toString: null },
  { toJSON: 1 },
  { length: 1e9 },
  { then: 1 },
  { constructor: { prototype: 1 } },
  [{ toString: 1 }],
  [],
  {},
  [null],
  [[]],
  ['\u0000'],
  Array.from({ length: 5000 }, () => 'x'),
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  2_147_483_648,
  -9_007_199_254_740_991,
  deep(500),
]

type Fields = Readonly<Record<string, AnyStruct>>

/** The fields of an object struct, through any depth of `refine` and `optional`. */
export const fieldsOf = (struct: AnyStruct | undefined): Fields => {
  const schema: unknown = struct?.schema
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? (schema as Fields) : {}
}

/** A body with one wrong place: a field of the struct, at any depth, or one that the struct does not have. */
export const badBody = (struct: AnyStruct | undefined, sample: Readonly<Record<string, unknown>>): fc.Arbitrary<unknown> => {
  const fields = fieldsOf(struct)
  const wrong = fc.constantFrom(...badValues)
  const names = [...new Set([...Object.keys(fields), ...Object.keys(sample), '__proto__', 'toString', 'unknown'])]
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(fc.constantFrom(...names), wrong).map(([name, value]) => ({ ...sample, [name]: value })) },
    ...Object.entries(fields)
      .filter(([, field]) => Object.keys(fieldsOf(field)).length > 0)
      .map(([name, field]) => ({
        weight: 2,
        arbitrary: badBody(field, (sample[name] as Record<string, unknown> | undefined) ?? {}).map((value) => ({
          ...sample,
          [name]: value,
        })),
      })),
    { weight: 1, arbitrary: wrong },
  )
}
