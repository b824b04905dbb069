import { hex } from './bytes'

// SubjectPublicKeyInfo of P-256 in all forms of RFC 5480, 2.1.1 and 2.2, and with the parameters of the curve written out (SEC 1,
// C.2), as OpenSSL and Java write them.
const [integer, bitString, octetString, oid, sequence] = [0x02, 0x03, 0x04, 0x06, 0x30]
const [ecPublicKey, primeField, namedCurve] = ['2a8648ce3d0201', '2a8648ce3d0101', '2a8648ce3d030107']

/** SEC 2, 2.4.2. Another curve of the same size is none: its keys could be forged (CVE-2020-0601). */
const curve = {
  p: 'ffffffff00000001000000000000000000000000ffffffffffffffffffffffff',
  a: 'ffffffff00000001000000000000000000000000fffffffffffffffffffffffc',
  b: '5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b',
  x: '6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296',
  y: '4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
  n: 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551',
}
const generators = [`04${curve.x}${curve.y}`, `03${curve.x}`]

type Element = { tag: number; body: Uint8Array }

/** The elements that fill the bytes; null if they are not DER. Lengths below 64 KiB: no key is longer. */
const elements = (bytes: Uint8Array): Element[] | null => {
  const found: Element[] = []
  for (let at = 0; at < bytes.length;) {
    const [tag = 0, first = 0, second = 0, third = 0] = bytes.subarray(at, at + 4)
    const size = first < 0x80 ? 0 : first - 0x80
    const length = size === 0 ? first : size === 1 ? second : second * 256 + third
    const start = at + 2 + size
    const isShortest = size === 0 || length > (size === 1 ? 0x7f : 0xff)
    if (at + 2 > bytes.length || size > 2 || !isShortest || start + length > bytes.length) return null
    found.push({ tag, body: bytes.subarray(start, start + length) })
    at = start + length
  }
  return found
}

const inside = (element: Element | undefined, tag: number): Element[] | null =>
  element?.tag === tag ? elements(element.body) : null
const isValue = (element: Element | undefined, tag: number, expected: string) =>
  element?.tag === tag && hex(element.body) === expected
const isNumber = (element: Element | undefined, expected: string) =>
  element?.tag === integer && hex(element.body).replace(/^00/, '') === expected

const isCurve = (parameters: Element | undefined): boolean => {
  if (isValue(parameters, oid, namedCurve)) return true
  const [version, field, coefficients, generator, order, cofactor, more] = inside(parameters, sequence) ?? []
  const [kind, prime, otherField] = inside(field, sequence) ?? []
  const [a, b, seed, otherCoefficient] = inside(coefficients, sequence) ?? []
  return (
    ['01', '02', '03'].some((value) => isNumber(version, value)) &&
    isValue(kind, oid, primeField) &&
    isNumber(prime, curve.p) &&
    isValue(a, octetString, curve.a) &&
    isValue(b, octetString, curve.b) &&
    generators.some((value) => isValue(generator, octetString, value)) &&
    isNumber(order, curve.n) &&
    (cofactor === undefined || isNumber(cofactor, '01')) &&
    (seed === undefined || seed.tag === bitString) &&
    [more, otherField, otherCoefficient].every((element) => element === undefined)
  )
}

/** The point, compressed (33 bytes) or not (65), of a P-256 key in DER; null for anything else. */
export const pointOfP256 = (spki: Uint8Array): Uint8Array | null => {
  const [whole, behind] = elements(spki) ?? []
  const [algorithm, key, more] = inside(whole, sequence) ?? []
  const [kind, parameters, otherParameter] = inside(algorithm, sequence) ?? []
  if ([behind, more, otherParameter].some((element) => element !== undefined)) return null
  if (!isValue(kind, oid, ecPublicKey) || !isCurve(parameters) || key?.tag !== bitString || key.body[0] !== 0) return null
  const point = key.body.subarray(1)
  return (point.length === 65 && point[0] === 4) || (point.length === 33 && (point[0] === 2 || point[0] === 3)) ? point : null
}
