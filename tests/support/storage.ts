import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import type { ArtifactStorage } from '../../server/core/deps'

/** Artifact bytes in memory, for tests that are not about storage. */
export const memoryStorage = (): ArtifactStorage => {
  const kept = new Map<string, Buffer>()
  const bytesOf = (key: string) => {
    const bytes = kept.get(key)
    if (bytes === undefined) throw new Error(`nothing is stored as ${key}`)
    return bytes
  }
  return {
    write: async (key, stream) => {
      const bytes = await buffer(stream)
      kept.set(key, bytes)
      return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
    },
    read: async (key, range) => Readable.from([bytesOf(key).subarray(range?.start ?? 0, range && range.end + 1)]),
    size: async (key) => kept.get(key)?.length,
    remove: async (key) => void kept.delete(key),
  }
}
