import { fetchPart } from '../page/lazy'
import type { Files } from './files'

const loadDigest = () => fetchPart(() => import('./digest'))
const loadHashing = () => fetchPart(() => import('../hashing/hash-in-worker'))

/** Identifies selected files: by the fingerprint before a byte is sent, by the hash of the whole during the upload. */
export type Identities = {
  /** Reads the ends of the file. Rejects for a dropped folder or a deleted file. */
  readFingerprint: (id: string) => Promise<string>
  fingerprint: (id: string) => string | undefined
  /** Starts hashing the whole file, once. */
  sha256: (id: string) => Promise<string>
  forget: (id: string) => void
}

export const createIdentities = (files: Files): Identities => {
  const fingerprints = new Map<string, string>()
  const hashes = new Map<string, { sha256: Promise<string>; stop: () => void }>()
  const getFile = (id: string) => {
    const file = files.get(id)
    if (!file) throw new Error('The file is not here')
    return file
  }
  const forget = (id: string) => {
    fingerprints.delete(id)
    hashes.get(id)?.stop()
    hashes.delete(id)
  }
  const begin = (id: string) => {
    const control = new AbortController()
    const { signal } = control
    const hashed = loadHashing().then(({ hashInWorker }) => hashInWorker({ file: getFile(id) }, { signal }))
    const sha256 = hashed.then((found) => found.sha256)
    // A file that could not be read is read again by the next attempt.
    sha256.catch(() => hashes.delete(id))
    hashes.set(id, { sha256, stop: () => control.abort() })
    return sha256
  }
  return {
    readFingerprint: async (id) => {
      const { getFingerprint } = await loadDigest()
      const fingerprint = await getFingerprint(getFile(id))
      fingerprints.set(id, fingerprint)
      return fingerprint
    },
    fingerprint: (id) => fingerprints.get(id),
    sha256: (id) => hashes.get(id)?.sha256 ?? begin(id),
    forget,
  }
}
