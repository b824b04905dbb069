import { type Bytes, concat, hex } from './bytes'

const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn
const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  for (let square = base % p, left = exponent; left > 0n; left >>= 1n, square = (square * square) % p)
    if (left & 1n) result = (result * square) % p
  return result
}

const bytes32 = (value: bigint): Bytes =>
  Uint8Array.from({ length: 32 }, (_, at) => Number((value >> BigInt(8 * (31 - at))) & 0xffn))

/**
 * Converts a compressed P-256 point (33 bytes) to an uncompressed one (65); null if it is not on the curve. Public values only:
 * not constant time.
 */
export const decompress = (point: Uint8Array): Bytes | null => {
  const sign = point[0]
  if (point.length !== 33 || (sign !== 2 && sign !== 3)) return null
  const x = BigInt(`0x${hex(point.subarray(1))}`)
  if (x >= p) return null
  const square = (power(x, 3n) + (p - 3n) * x + b) % p
  const root = power(square, (p + 1n) / 4n)
  if ((root * root) % p !== square) return null
  return concat(Uint8Array.of(4), bytes32(x), bytes32((root & 1n) === BigInt(sign & 1) ? root : p - root))
}
