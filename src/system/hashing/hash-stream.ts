import { sha256 } from '@noble/hashes/sha2.js'
import { hex } from '../../../contract/device/bytes'

export type Hashed = { sha256: string; size: number }

/** SHA-256 of a stream, chunk by chunk: Web Crypto would need all of it in memory. `onBytes` gets the bytes so far. */
export const hashStream = async (
  stream: ReadableStream<Uint8Array>,
  onBytes: (size: number) => void = () => {},
): Promise<Hashed> => {
  const hash = sha256.create()
  const reader = stream.getReader()
  let size = 0
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      hash.update(piece.value)
      size += piece.value.length
      onBytes(size)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
  return { sha256: hex(hash.digest()), size }
}
