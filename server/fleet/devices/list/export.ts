import { Readable } from 'node:stream'
import type { DeviceExportFormat } from '../../../../contract/fleet/device-exports'
import type { Device } from '../../../../contract/fleet/devices'
import { csvLine } from '../../../core/csv'
import type { ProjectRead } from '../../../core/http/scope'
import type { DeviceQuery } from './filter.repository'
import { listDevicePages } from './list.repository'
import { completeDevices } from '../read'
import type { DeviceRow } from '../repository'

const cells: Readonly<Record<string, (device: Device) => string | number | null>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  serial_number: (device) => device.serial_number,
  hardware_model: (device) => device.hardware_model,
  lifecycle: ({ lifecycle }) => lifecycle,
  connectivity: ({ connectivity }) => connectivity,
  last_seen_at: (device) => device.last_seen_at,
  health: ({ health }) => health.status,
  version: ({ installed }) => installed?.version ?? null,
  display_version: ({ installed }) => installed?.display_version ?? null,
  update_version: ({ update }) => update?.version ?? null,
  update_state: ({ update }) => update?.state ?? null,
  update_error_code: ({ update }) => update?.error_code ?? null,
  updates_enabled: (device) => String(device.updates_enabled),
  quarantine_until: ({ quarantine }) => quarantine?.until ?? null,
  tags: ({ tags }) => tags.map(({ name }) => name).join(' '),
  trusted_keys: (device) => device.trusted_keys.map(({ fingerprint }) => fingerprint).join(' '),
  enrolled_at: (device) => device.enrolled_at,
  created_at: (device) => device.created_at,
  attributes: ({ attributes }) => JSON.stringify(attributes),
  metadata: ({ metadata }) => JSON.stringify(metadata),
  notes: ({ notes }) => notes,
}

const lineOf = {
  csv: (device: Device) => csvLine(Object.values(cells).map((cellOf) => cellOf(device))),
  ndjson: (device: Device) => `${JSON.stringify(device)}\n`,
} as const

async function* linesOf(read: ProjectRead, pages: AsyncIterable<readonly DeviceRow[]>, format: DeviceExportFormat) {
  if (format === 'csv') yield csvLine(Object.keys(cells))
  for await (const rows of pages) yield (await completeDevices(read, rows)).map(lineOf[format]).join('')
}

/** The devices of a filter as a file, read page by page as fast as it is received. */
export const exported = (read: ProjectRead, query: DeviceQuery, format: DeviceExportFormat): Readable =>
  Readable.from(linesOf(read, listDevicePages(read, query), format))
