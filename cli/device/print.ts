import type { Device } from '../../contract/fleet/devices'
import { type Cell, facts, table } from '../core/print'

const words = (state: string) => state.replaceAll('_', ' ')
const colours: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  online: 'green',
  healthy: 'green',
  late: 'yellow',
  warning: 'yellow',
  offline: 'red',
  critical: 'red',
}
const stateCell = (state: string): Cell => ({ text: words(state), colour: colours[state] })
const versionOf = ({ installed }: Device) => installed && (installed.display_version ?? String(installed.version))
const updateOf = ({ update }: Device) => update && `${words(update.state)} → ${update.display_version ?? update.version}`

export const deviceTable = (devices: readonly Device[]): string =>
  table(
    ['Name', 'Serial number', 'Model', 'Connectivity', 'Health', 'Version', 'Update', 'Tags', 'Id'],
    devices.map((device) => [
      device.name,
      device.serial_number,
      device.hardware_model,
      stateCell(device.connectivity),
      stateCell(device.health.status),
      versionOf(device),
      updateOf(device),
      device.tags.map(({ name }) => name).join(', '),
      device.id,
    ]),
  )

export const deviceFacts = (device: Device): string =>
  facts([
    ['Device', device.name],
    ['Id', device.id],
    ['Serial number', device.serial_number],
    ['Model', device.hardware_model],
    ['Lifecycle', words(device.lifecycle)],
    ['Connectivity', stateCell(device.connectivity)],
    ['Last seen', device.last_seen_at],
    ['Health', stateCell(device.health.status)],
    ['Version', versionOf(device)],
    ['Update', updateOf(device)],
    ['Updates', device.updates_enabled ? 'on' : 'off'],
    ...(device.installed_revoked ? [['Revoked', `what it runs: ${device.installed_revoked.reason}`] as const] : []),
    ...(device.quarantine ? [['Quarantine', `until ${device.quarantine.until}: ${device.quarantine.reason}`] as const] : []),
    ['Tags', device.tags.map(({ name }) => name).join(', ')],
    ['Client', device.client && `${device.client.name} ${device.client.version}`],
  ])

const columns: readonly (readonly [string, (device: Device) => string | number | null | undefined])[] = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['serial_number', ({ serial_number: serial }) => serial],
  ['hardware_model', ({ hardware_model: model }) => model],
  ['protocol', ({ protocol }) => protocol],
  ['lifecycle', ({ lifecycle }) => lifecycle],
  ['connectivity', ({ connectivity }) => connectivity],
  ['last_seen_at', ({ last_seen_at: at }) => at],
  ['health', ({ health }) => health.status],
  ['version', ({ installed }) => installed?.version],
  ['display_version', ({ installed }) => installed?.display_version],
  ['update_version', ({ update }) => update?.version],
  ['update_state', ({ update }) => update?.state],
  ['tags', ({ tags }) => tags.map(({ name }) => name).join(' ')],
]

/** A spreadsheet would calculate what begins like a formula: those cells get an apostrophe. */
const csvCell = (value: string | number | null | undefined) => {
  if (typeof value !== 'string') return String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** RFC 4180. */
export const devicesToCsv = (devices: readonly Device[]): string =>
  [columns.map(([name]) => name), ...devices.map((device) => columns.map(([, read]) => csvCell(read(device))))]
    .map((row) => `${row.join(',')}\r\n`)
    .join('')
