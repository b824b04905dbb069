import { createHash, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { fingerprintBytes } from '../../../contract/updates/uploads'
import { hashStream } from '../hashing/hash-stream'
import { getFingerprint } from './digest'

const sha256 = (...parts: (Buffer | string)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
const changed = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}
const fileOf = (bytes: Buffer) => new Blob([new Uint8Array(bytes)])
const large = randomBytes(3 * fingerprintBytes)

it('a fingerprint is the SHA-256 of the first MiB, the last MiB and the size', async () => {
  const ends = [large.subarray(0, fingerprintBytes), large.subarray(-fingerprintBytes)]
  expect(await getFingerprint(fileOf(large))).toBe(sha256(...ends, String(large.length)))
})

it('the fingerprint of a file of at most 2 MiB is that of the whole and the size', async () => {
  const small = large.subarray(0, 2 * fingerprintBytes)
  expect(await getFingerprint(fileOf(small))).toBe(sha256(small, String(small.length)))
})

it('a fingerprint changes with a byte of the head or the tail; a byte between them changes the hash of the whole alone', async () => {
  const known = await getFingerprint(fileOf(large))
  for (const at of [0, fingerprintBytes - 1, 2 * fingerprintBytes, large.length - 1])
    expect(await getFingerprint(fileOf(changed(large, at))), String(at)).not.toBe(known)
  const middle = fileOf(changed(large, fingerprintBytes))
  expect(await getFingerprint(middle)).toBe(known)
  expect((await hashStream(middle.stream())).sha256).not.toBe(sha256(large))
  expect((await hashStream(fileOf(large).stream())).sha256).toBe(sha256(large))
})
