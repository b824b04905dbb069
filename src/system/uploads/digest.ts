import { sha256 } from '@noble/hashes/sha2.js'
import { hex } from '../../../contract/device/bytes'
import { fingerprintBytes } from '../../../contract/updates/uploads'

/** SHA-256 of the first and the last MiB and the size, as the contract defines it: one short read for any file size. */
export const getFingerprint = async (file: Blob): Promise<string> => {
  const isLong = file.size > 2 * fingerprintBytes
  const ends = isLong ? new Blob([file.slice(0, fingerprintBytes), file.slice(-fingerprintBytes)]) : file
  const hash = sha256.create().update(new Uint8Array(await ends.arrayBuffer()))
  return hex(hash.update(new TextEncoder().encode(String(file.size))).digest())
}
