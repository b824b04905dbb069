import { type DeviceExportFormat, exportDevices } from '../../contract/fleet/device-exports'
import { type QueryOf, pathOf } from '../../contract/core/endpoint'
import { sessionHeader, tagOf } from '../../contract/accounts/sessions'
import { type Refusal, searchOf } from './client'

type Connection = { base: string; token: () => string | null; onRefused: (refusal: Refusal) => void }
type Asked = {
  projectId: string
  filters: NonNullable<QueryOf<typeof exportDevices>>
  format: DeviceExportFormat
  onRows: (count: number) => void
  signal: AbortSignal
}

const lineFeed = 10

/** The file of an export, which is counted while it arrives; rejects when it was cancelled, refused, or ended early. */
export const downloadDevices = async ({ base, token, onRefused }: Connection, asked: Asked): Promise<Blob> => {
  const { projectId, filters, format, onRows, signal } = asked
  const held = token()
  const path = `${pathOf(exportDevices.path, { projectId })}${searchOf({ ...filters, format })}`
  const response = await fetch(`${base}${path}`, {
    headers: held === null ? {} : { [sessionHeader]: held },
    credentials: 'omit',
    signal,
  })
  if ([401, 403, 404].includes(response.status))
    onRefused({
      status: response.status,
      sessionTag: held === null ? null : tagOf(held),
      handledBy: undefined,
      organizationId: undefined,
    })
  if (!response.ok || !response.body) throw new Error(`The export was answered with ${response.status}`)
  const parts: Uint8Array<ArrayBuffer>[] = []
  // The first line of CSV has the names of the columns.
  let rows = format === 'csv' ? -1 : 0
  const reader = response.body.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value)
    for (const byte of part.value) if (byte === lineFeed) rows += 1
    onRows(Math.max(0, rows))
  }
  return new Blob(parts, { type: response.headers.get('content-type') ?? '' })
}
