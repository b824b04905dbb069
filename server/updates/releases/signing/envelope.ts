import { fromBase64 } from '../../../../contract/device/bytes'
import type { Signature } from '../../../../contract/device/dsse'
import { createEnvelope } from '../../../../contract/device/manifest'
import type { ReleaseRow } from '../repository'
import { listUnreadyAssets } from '../assets/repository'
import type { Tx } from '../../../core/database/tx'
import { refuse } from '../../../core/http/refuse'
import { listValidSignatures } from './repository'

export type Signed = {
  release: ReleaseRow
  signedBy: string[]
  signatures: Signature[]
  /** The public keys of the signatures. */
  publicKeyPems: string[]
  /** Names of files that are missing or damaged in the storage: without them the release is not offered. */
  missing: string[]
}

const bytesOf = (base64: string) => fromBase64(base64) ?? new Uint8Array()

/** 409 while a file of a signed release is damaged: upload it again, or withdraw the release. */
export const requireIntactFiles = ({ missing: [first, ...more] }: Pick<Signed, 'missing'>): void => {
  if (first === undefined) return
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`
  refuse(409, 'asset_damaged', {
    message: `${first}${others} is damaged in the storage. Upload the same file again, or revoke the release`,
    about: { files: [first, ...more] },
  })
}

/** Releases with their valid signatures: those by keys that were not revoked. */
export const signed = async (tx: Tx, rows: readonly ReleaseRow[]): Promise<Map<string, Signed>> => {
  const ids = rows.map(({ id }) => id)
  const made = await listValidSignatures(tx, ids)
  const missing = await listUnreadyAssets(tx, ids)
  return new Map(
    rows.map((release) => {
      const own = made.filter(({ releaseId }) => releaseId === release.id)
      const signedBy = own.map(({ fingerprint }) => fingerprint)
      const signatures = own.map(({ fingerprint, signature }) => ({ fingerprint, signature: bytesOf(signature) }))
      const publicKeyPems = own.map(({ publicKeyPem }) => publicKeyPem)
      const gone = missing.filter(({ releaseId }) => releaseId === release.id).map(({ name }) => name)
      return [release.id, { release, signedBy, signatures, publicKeyPems, missing: gone }]
    }),
  )
}

/** The envelope, the same bytes at every call. */
export const envelopeText = ({ release, signatures }: Pick<Signed, 'release' | 'signatures'>): string =>
  JSON.stringify(createEnvelope(bytesOf(release.payload ?? ''), signatures))
