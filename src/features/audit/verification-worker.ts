import { sha256 } from '@noble/hashes/sha2.js'
import type { AuditChainPage } from '../../../contract/accounts/audit'
import { createChainVerifier } from '../../../contract/accounts/audit-verification'
import { hex, utf8 } from '../../../contract/device/bytes'

// Not Web Crypto: it is missing without a secure origin, and asynchronous for each entry.
const verifier = createChainVerifier((text) => hex(sha256(utf8(text))))

globalThis.addEventListener('message', ({ data }: MessageEvent<AuditChainPage>) => {
  // A failure becomes an error event of the worker.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
  void verifier.add(data).then((progress) => globalThis.postMessage(progress), reportError)
})
