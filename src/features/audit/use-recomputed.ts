import { useEffect, useState } from 'react'
import type { AuditEntry } from '../../../contract/accounts/audit'
import { hashedText } from '../../../contract/accounts/audit-verification'

type Verdict = 'waiting' | 'equal' | 'different' | 'unable'

const hexOf = (bytes: ArrayBuffer) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Computes the hash of an entry from the displayed fields, independently of the server. */
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
