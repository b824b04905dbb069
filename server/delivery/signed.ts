import { and, asc, eq, inArray, ne } from 'drizzle-orm'
import { fromBase64 } from '../../contract/device/bytes'
import type { Signature } from '../../contract/device/dsse'
import { seal } from '../../contract/device/manifest'
import { releaseSignatures, type releases, signingKeys } from '../database/schema/releases'
import type { Tx } from '../database/tx'

type ReleaseRow = typeof releases.$inferSelect
export type Signed = { release: ReleaseRow; signedBy: string[]; signatures: Signature[] }

const bytesOf = (base64: string) => fromBase64(base64) ?? new Uint8Array()

/** Releases with the signatures that still count: those of keys that were not revoked. */
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
  return new Map(
    rows.map((release) => {
      const own = made.filter(({ releaseId }) => releaseId === release.id)
      const signedBy = own.map(({ fingerprint }) => fingerprint)
      const signatures = own.map(({ fingerprint, signature }) => ({ fingerprint, signature: bytesOf(signature) }))
      return [release.id, { release, signedBy, signatures }]
    }),
  )
}

/** The envelope, byte for byte the same at every call. */
export const envelopeText = ({ release, signatures }: Pick<Signed, 'release' | 'signatures'>): string =>
  JSON.stringify(seal(bytesOf(release.payload ?? ''), signatures))
