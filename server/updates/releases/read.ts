import type { QueryOf } from '../../../contract/core/endpoint'
import type { Release, releases as listEndpoint } from '../../../contract/updates/releases'
import type { Tx } from '../../core/database/tx'
import { notFound } from '../../core/http/refuse'
import { countActiveByRelease } from '../../fleet/devices/state/counts.repository'
import { assetsOf, findReleases, listReleaseRows, type ReleaseRow, signaturesOf } from './repository'
import { summariesOf } from './summaries'
import { releaseToJson } from './to-json'

/** Of releases of one project. */
const withParts = async (tx: Tx, rows: readonly ReleaseRow[]): Promise<Release[]> => {
  const [first] = rows
  if (!first) return []
  const ids = rows.map(({ id }) => id)
  const [files, signatures, summaries] = [await assetsOf(tx, ids), await signaturesOf(tx, ids), await summariesOf(tx, ids)]
  const running = await countActiveByRelease(tx, first.projectId, ids)
  return rows.map((row) =>
    releaseToJson(row, {
      assets: files.filter(({ releaseId }) => releaseId === row.id),
      signatures: signatures.filter(({ releaseId }) => releaseId === row.id),
      summary: summaries.get(row.id),
      activeDevices: running.get(row.id) ?? 0,
    }),
  )
}

/** One release as JSON, or 404. */
export const releaseById = async (tx: Tx, id: string): Promise<Release> => {
  const [release] = await withParts(tx, await findReleases(tx, [id]))
  return release ?? notFound()
}

type Query = NonNullable<QueryOf<typeof listEndpoint>>

export const listReleases = async (tx: Tx, projectId: string, query: Query) => {
  const { rows, ...page } = await listReleaseRows(tx, projectId, query)
  return { releases: await withParts(tx, rows), ...page }
}
