import { exportSystemLogs, type logExportFormats } from '../../contract/fleet/device-logs'
import { pathOf } from '../../contract/core/endpoint'
import { sessionHeader, tagOf } from '../../contract/accounts/sessions'
import type { Refusal } from './client'
import { refused } from './failure'
import type { LogFilters } from './queries/fleet/device-logs'

export type LogExportFormat = (typeof logExportFormats)[number]
type Connection = { base: string; token: () => string | null; onRefused: (refusal: Refusal) => void }
type Asked = {
  deviceId: string
  filters: LogFilters
  format: LogExportFormat
  onProgress: (progress: { lines: number; bytes: number }) => void
  signal: AbortSignal
}

/** The browser stores a Blob of this size outside the memory of the page. */
const partBytes = 4 * 1024 ** 2
const lineFeed = 0x0a

/** Reads an export piece by piece, so that the page does not hold it in memory; says how far it is. */
export const readLogExport = async ({ base, token, onRefused }: Connection, asked: Asked): Promise<Blob> => {
  const { deviceId, filters, format, onProgress, signal } = asked
  const search = new URLSearchParams({ format })
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) search.set(name, String(value))
  const held = token()
  const response = await fetch(`${base}${pathOf(exportSystemLogs.path, { deviceId })}?${search}`, {
    headers: held === null ? {} : { [sessionHeader]: held },
    credentials: 'omit',
    signal,
  })
  const { status } = response
  if ([401, 403, 404].includes(status))
    onRefused({ status, sessionTag: held === null ? null : tagOf(held), handledBy: undefined, organizationId: undefined })
  if (!response.ok || !response.body) throw refused(response, await response.json().catch(() => undefined))
  const parts: Blob[] = []
  let pending: Uint8Array<ArrayBuffer>[] = []
  let pendingBytes = 0
  const progress = { lines: 0, bytes: 0 }
  const store = () => {
    parts.push(new Blob(pending))
    pending = []
    pendingBytes = 0
  }
  const reader = response.body.getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const bytes = piece.value
    for (const byte of bytes) if (byte === lineFeed) progress.lines++
    progress.bytes += bytes.length
    pending.push(bytes)
    pendingBytes += bytes.length
    if (pendingBytes >= partBytes) store()
    onProgress({ ...progress })
  }
  store()
  return new Blob(parts, { type: response.headers.get('content-type') ?? '' })
}
