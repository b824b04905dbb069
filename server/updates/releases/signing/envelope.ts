import { and, asc, eq, inArray, ne } from 'drizzle-orm'
import { fromBase64 } from '../../../../contract/device/bytes'
import type { Signature } from '../../../../contract/device/dsse'
import { createEnvelope } from '../../../../contract/device/manifest'
import { signingKeys } from '../../../fleet/schema/keys'
import { assets, releaseSignatures, type releases } from '../../schema/releases'
import type { Tx } from '../../../core/database/tx'
import { refuse } from '../../../core/http/refuse'

type ReleaseRow = typeof releases.$inferSelect
export type Signed = {
  release: ReleaseRow
  signedBy: string[]
  signatures: Signature[]
  /** Names of files that are missing or damaged in the storage: without them the release is not offered. */
  missing: string[]
}

const bytesOf = (base64: string) => fromBase64(base64) ?? new Uint8Array()

/** Missing or damaged files by release. */
const missingFiles = async (tx: Tx, releaseIds: readonly string[]) =>
  releaseIds.length === 0
    ? []
    : tx
        .select({ releaseId: assets.releaseId, name: assets.name })
        .from(assets)
        .where(and(inArray(assets.releaseId, [...releaseIds]), ne(assets.state, 'ready')))
        .orderBy(asc(assets.name))

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
  const made =
    ids.length === 0
      ? []
      : await tx
          .select({
            releaseId: releaseSignatures.releaseId,
            signature: releaseSignatures.signature,
            fingerprint: signingKeys.fingerprint,
          })
          .from(releaseSignatures)
          .innerJoin(signingKeys, eq(signingKeys.id, releaseSignatures.keyId))
          .where(and(inArray(releaseSignatures.releaseId, ids), ne(signingKeys.state, 'revoked')))
          .orderBy(asc(releaseSignatures.signedAt), asc(releaseSignatures.id))
  const missing = await missingFiles(tx, ids)
  return new Map(
    rows.map((release) => {
      const own = made.filter(({ releaseId }) => releaseId === release.id)
      const signedBy = own.map(({ fingerprint }) => fingerprint)
      const signatures = own.map(({ fingerprint, signature }) => ({ fingerprint, signature: bytesOf(signature) }))
      const gone = missing.filter(({ releaseId }) => releaseId === release.id).map(({ name }) => name)
      return [release.id, { release, signedBy, signatures, missing: gone }]
    }),
  )
}

/** The envelope, the same bytes at every call. */
export const envelopeText = ({ release, signatures }: Pick<Signed, 'release' | 'signatures'>): string =>
  JSON.stringify(createEnvelope(bytesOf(release.payload ?? ''), signatures))
