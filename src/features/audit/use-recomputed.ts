import { useEffect, useState } from 'react'
import { type AuditEntry, hashedText } from '../../../contract/audit'

type Verdict = 'waiting' | 'equal' | 'different' | 'unable'

const hexOf = (bytes: ArrayBuffer) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** The hash of an entry, made again here from what is shown: the server is not taken at its word. */
export const useRecomputed = (entry: AuditEntry): Verdict => {
  const [found, setFound] = useState<{ hash: string; verdict: Verdict }>()
  useEffect(() => {
    let current = true
    const say = (verdict: Verdict) => current && setFound({ hash: entry.hash, verdict })
    // Without a secure origin a browser has no SHA-256.
    if (!('subtle' in crypto)) {
      say('unable')
      return
    }
    crypto.subtle
      .digest('SHA-256', new TextEncoder().encode(hashedText(entry)))
      .then((digest) => say(hexOf(digest) === entry.hash ? 'equal' : 'different'))
      .catch(() => say('unable'))
    return () => {
      current = false
    }
  }, [entry])
  return found?.hash === entry.hash ? found.verdict : 'waiting'
}
