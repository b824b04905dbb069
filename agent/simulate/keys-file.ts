import { readFileSync, statSync } from 'node:fs'
import { type PublicKey, publicKeyFromPem } from '../../contract/device/public-key'

const block = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g
const everyMs = 1000

const read = async (path: string): Promise<PublicKey[]> => {
  const blocks = readFileSync(path, 'utf8').match(block) ?? []
  const keys = await Promise.all(blocks.map((pem) => publicKeyFromPem(pem)))
  return keys.filter((key) => key !== null)
}

/** The fixed keys and those of a file, in one list that follows the file. */
export const followKeysFile = async (
  fixed: readonly PublicKey[],
  path: string | undefined,
): Promise<{ keys: readonly PublicKey[]; close: () => void }> => {
  const keys = [...fixed]
  if (path === undefined) return { keys, close: () => {} }
  let seen = 0
  const refresh = async () => {
    const { mtimeMs } = statSync(path)
    if (mtimeMs === seen) return
    keys.splice(fixed.length, keys.length, ...(await read(path)))
    seen = mtimeMs
  }
  await refresh()
  // A file that is being replaced is read at the next turn.
  const timer = setInterval(() => void refresh().catch(() => {}), everyMs)
  return { keys, close: () => clearInterval(timer) }
}
