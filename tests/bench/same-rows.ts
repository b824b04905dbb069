import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import type { Client } from 'pg'
import { CopyIn, CopyOut, startCopy } from '../../server/backup/copy'

export type Table = { name: string; columns: string; order: string }
export const logTable = {
  name: 'device_logs',
  columns: 'project_id, device_id, sequence, ts_ms, received_at, level, unit, pid, boot_id, message, fields',
  order: 'received_at, device_id, sequence',
}
export const pointTable = {
  name: 'metric_points',
  columns: 'project_id, device_id, name, at, value',
  order: 'device_id, at, name',
}
export const eventTable = {
  name: 'update_events',
  columns:
    'project_id, device_id, id, event_id, rollout_id, release_id, version, attempt, type, from_state, to_state, reason_code, message, progress_percent, bytes_done, duration_ms, slot, boot_id, key_fingerprint, ts_ms, received_at, sequence, source',
  order: 'received_at, device_id, id',
}

/** The same rows as the ingest has stored, for another project, by COPY and by INSERT of a thousand rows each. */
export const store = async (client: Client, { name, columns, order }: Table, projectId: string) => {
  const rest = columns.slice('project_id, '.length)
  const out = startCopy(
    client,
    new CopyOut(`copy (select 'copied', ${rest} from ${name} where project_id = '${projectId}' order by ${order}) to stdout`),
  )
  const chunks: Buffer[] = []
  for await (const chunk of out) chunks.push(chunk as Buffer)
  const lines = Buffer.concat(chunks)
  const copied = async () =>
    pipeline(Readable.from([lines]), startCopy(client, new CopyIn(`copy ${name} (${columns}) from stdin`)))
  const { rows } = await client.query({
    text: `select 'inserted', ${rest} from ${name} where project_id = $1 order by ${order}`,
    values: [projectId],
    rowMode: 'array',
  })
  const width = columns.split(',').length
  const inserted = async () => {
    for (let from = 0; from < rows.length; from += 1000) {
      const slice: unknown[][] = rows.slice(from, from + 1000)
      const places = slice.map((_, n) => `(${Array.from({ length: width }, (__, m) => `$${n * width + m + 1}`).join(', ')})`)
      await client.query(`insert into ${name} (${columns}) values ${places.join(', ')}`, slice.flat())
    }
  }
  return { count: rows.length, copied, inserted }
}
