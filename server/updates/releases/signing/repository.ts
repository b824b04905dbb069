import { and, asc, eq, inArray, ne } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { signingKeys } from '../../../fleet/schema/keys'
import { releaseSignatures } from '../../schema/releases'

type NewSignature = typeof releaseSignatures.$inferInsert
type ValidSignature = { releaseId: string; signature: string; fingerprint: string; publicKeyPem: string }

/** The signatures of releases by keys that were not revoked, oldest first. */
export const listValidSignatures = async (tx: Tx, releaseIds: readonly string[]): Promise<ValidSignature[]> =>
  releaseIds.length === 0
    ? []
    : tx
        .select({
          releaseId: releaseSignatures.releaseId,
          signature: releaseSignatures.signature,
          fingerprint: signingKeys.fingerprint,
          publicKeyPem: signingKeys.publicKeyPem,
        })
        .from(releaseSignatures)
        .innerJoin(signingKeys, eq(signingKeys.id, releaseSignatures.keyId))
        .where(and(inArray(releaseSignatures.releaseId, [...releaseIds]), ne(signingKeys.state, 'revoked')))
        .orderBy(asc(releaseSignatures.signedAt), asc(releaseSignatures.id))

export const listReleasesSignedBy = async (tx: Tx, keyId: string): Promise<string[]> => {
  const own = await tx
    .select({ id: releaseSignatures.releaseId })
    .from(releaseSignatures)
    .where(eq(releaseSignatures.keyId, keyId))
  return own.map(({ id }) => id)
}

/** Those of the releases that have a signature by another key that was not revoked. */
export const listReleasesSignedByOthers = async (tx: Tx, releaseIds: readonly string[], keyId: string): Promise<string[]> => {
  const others = await tx
    .select({ id: releaseSignatures.releaseId })
    .from(releaseSignatures)
    .innerJoin(signingKeys, eq(signingKeys.id, releaseSignatures.keyId))
    .where(
      and(inArray(releaseSignatures.releaseId, [...releaseIds]), ne(signingKeys.id, keyId), ne(signingKeys.state, 'revoked')),
    )
  return others.map(({ id }) => id)
}

/** False if the key has signed the release already. */
export const insertSignature = async (tx: Tx, row: NewSignature): Promise<boolean> => {
  const added = await tx.insert(releaseSignatures).values(row).onConflictDoNothing().returning({ id: releaseSignatures.id })
  return added.length > 0
}
