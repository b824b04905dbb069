import { type Bundle, bundleHeadBytes, bundleTailBytes, readBundle } from '../../../contract/ddi/bundle'
import type { Reader } from '../../core/reading/protocol'

export type FoundBundle = Bundle | null

/** Reads the first and the last bytes of a bundle for hawkBit clients in a thread; null for another format. */
export const readUpdateBundle: Reader<undefined, FoundBundle> = async (_, { files: [file] }) => {
  if (!file) return null
  const { size } = file
  const head = await file.read(0, Math.min(size, bundleHeadBytes))
  const tailAt = Math.max(0, size - bundleTailBytes)
  return readBundle(head, await file.read(tailAt, size - tailAt), size) ?? null
}
