import { object, optional, type } from 'superstruct'
import { endpoint, requires, onObject } from '../core/endpoint'
import { ToSign } from '../fleet/keys'
import { Release } from './releases'
import { boundedInteger, pattern } from '../core/rules'
import { Id, Timestamp } from '../core/shapes'

const read = requires(onObject('release', 'releaseId'), 'project:view')
const write = requires(onObject('release', 'releaseId'), 'project:manage_releases')

export const finalizeRelease = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/finalize',
  summary: 'Check a draft and build the manifest to sign.',
  needs: write,
  audit: 'release.finalize',
  rate: 'write',
  /** `valid_days`: days of 24 hours from now by the clock of the server. Without either, a year. */
  body: object({ expires_at: optional(Timestamp), valid_days: optional(boundedInteger('Valid for', 1, 730)) }),
  answer: type({ release: Release, to_sign: ToSign }),
})
export const reopenRelease = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/reopen',
  summary: 'Discard an unsigned manifest and make the release a draft again. 409 once it is signed.',
  needs: write,
  audit: 'release.reopen',
  rate: 'write',
  answer: Release,
})
export const releaseToSign = endpoint({
  method: 'GET',
  path: '/releases/:releaseId/to_sign',
  summary: 'Get the bytes to sign, while a signature is awaited.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: ToSign,
})
export const signRelease = endpoint({
  method: 'POST',
  path: '/releases/:releaseId/signatures',
  summary: 'Add a signature made in the browser or by a command. 422 bad_signature says what is wrong with it.',
  needs: write,
  audit: 'release.sign',
  rate: 'write',
  body: object({
    key_id: Id,
    signature_base64: pattern(
      'base64',
      /^[A-Za-z0-9+/]{16,1024}={0,2}$/,
      'The signature must be base 64, as the command prints it: letters, digits, + and /',
    ),
  }),
  answer: Release,
})
export const releaseManifest = endpoint({
  method: 'GET',
  path: '/releases/:releaseId/manifest',
  summary: 'Get the DSSE envelope, byte for byte as devices get it.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: 'bytes',
})
