import type { QueryOf } from '../../../contract/core/endpoint'
import type { bundles as listEndpoint, SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import type { Tx } from '../../core/database/tx'
import { notFound } from '../../core/http/refuse'
import { countApplied } from './applied.repository'
import { listArtifacts } from './artifacts.repository'
import { findKeysRevokedSince } from './keys'
import { type BundleRow, findBundle, listBundleRows, listReleasesOfBundles } from './repository'
import { bundleToJson, summaryToJson } from './to-json'
import type { BundleFacts } from './types'

/** One bundle as JSON, or 404. */
export const readBundle = async (tx: Tx, id: string): Promise<SecureBootBundle> => {
  const row = (await findBundle(tx, id)) ?? notFound()
  return bundleToJson(row, {
    artifacts: await listArtifacts(tx, [id]),
    applied: (await countApplied(tx, row.projectId, [id])).get(id),
    releases: await listReleasesOfBundles(tx, [id]),
    revokedSince: await findKeysRevokedSince(tx, row),
  })
}

type Query = NonNullable<QueryOf<typeof listEndpoint>>

export const readBundles = async (tx: Tx, projectId: string, query: Query) => {
  const { rows, ...page } = await listBundleRows(tx, projectId, query)
  const ids = rows.map(({ id }) => id)
  const artifacts = await listArtifacts(tx, ids)
  const applied = await countApplied(tx, projectId, ids)
  return {
    artifact_bundles: rows.map((row) =>
      summaryToJson(row, {
        artifacts: artifacts.filter(({ bundleId }) => bundleId === row.id),
        applied: applied.get(row.id),
      }),
    ),
    ...page,
  }
}

/** What the checks and the plan know of a bundle. */
export const toBundleFacts = (row: BundleRow): BundleFacts => ({
  id: row.id,
  name: row.name,
  version: row.version,
  platform: row.platform,
  hardwareModels: row.hardwareModels,
  rollbackVersion: row.rollbackVersion,
  keys: row.keys,
  keyHash: row.keyHash,
  fuseConfig: row.fuseConfig,
})
