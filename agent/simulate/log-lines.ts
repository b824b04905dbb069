import type { LogLevel } from '../../contract/device/config-fields'
import type { DeviceClass } from './classes'
import type { Random } from './random'
import type { Incident, Sample, Signals } from './signals'

export type LogTemplate = { level: LogLevel; unit: string; message: string }
type Template = readonly [unit: string, text: string]

const linuxInfo: readonly [Template, ...Template[]] = [
  ['systemd', 'Started Daily cleanup of temporary directories.'],
  ['systemd-timesyncd', 'Synchronized to time server 192.0.2.{n}:123.'],
  ['NetworkManager', 'dhcp4 ({if}): state changed bound -> bound, address 10.20.{n}.{n}'],
  ['mosquitto', 'Client station-{n} connected from 10.20.{n}.{n}:{p} (p2, c1, k60).'],
  ['collector', 'Flushed {n} records in {m} ms'],
  ['sshd', 'Connection closed by 10.20.0.{n} port {p} [preauth]'],
  ['kernel', 'IPv6: ADDRCONF(NETDEV_CHANGE): {if}: link becomes ready'],
]
const linuxWarning: readonly [Template, ...Template[]] = [
  ['mosquitto', 'Client station-{n} has exceeded timeout, disconnecting.'],
  ['collector', 'Queue is {n} % full'],
  ['systemd-resolved', 'Server 10.20.0.1 does not support DNSSEC, downgrading to non-DNSSEC mode.'],
  ['kernel', 'usb 1-1: reset high-speed USB device number {n} using xhci_hcd'],
]
const linuxError: readonly [Template, ...Template[]] = [
  ['collector', 'Cannot reach station-{n}: connection timed out after {m} ms'],
  ['kernel', 'usb 1-1: device descriptor read/64, error -71'],
  ['systemd', 'collector.service: Main process exited, code=exited, status=1/FAILURE'],
]
const sensorInfo: readonly [Template, ...Template[]] = [
  ['wifi', 'I ({m}) wifi: connected, aid = {n}, channel 6, bssid = 02:00:00:{n}:00:01'],
  ['sense', 'I ({m}) sense: temperature {n} humidity {n}'],
  ['power', 'I ({m}) power: woke from deep sleep, cause timer'],
]
const sensorWarning: readonly [Template, ...Template[]] = [
  ['wifi', 'W ({m}) wifi: beacon timeout, rssi -{n}'],
  ['sense', 'W ({m}) sense: reading {n} out of range, discarded'],
]
const sensorError: readonly [Template, ...Template[]] = [['sense', 'E ({m}) sense: i2c_master_cmd_begin failed: ESP_ERR_TIMEOUT']]

const templates = (kind: DeviceClass) =>
  kind.id === 'sensor'
    ? { info: sensorInfo, warning: sensorWarning, err: sensorError }
    : { info: linuxInfo, warning: linuxWarning, err: linuxError }

const fill = (text: string, kind: DeviceClass, random: Random) =>
  text.replace(/\{(n|m|p|if)\}/g, (_, what: string) =>
    what === 'if'
      ? kind.link.interface
      : String(what === 'p' ? random.whole(32_768, 60_999) : what === 'm' ? random.whole(8, 90_000) : random.whole(2, 97)),
  )

/** Lines per minute by level: mostly informational. */
const perMinute = { info: 6, warning: 0.3, err: 0.05 } as const

/** The log lines of this time span, with levels in random order. */
const routineLines = (kind: DeviceClass, random: Random, minutes: number, share = 1): LogTemplate[] =>
  (['info', 'warning', 'err'] as const)
    .flatMap((level) =>
      Array.from(
        { length: Math.min(60, random.poisson(perMinute[level] * minutes * share)) },
        (): LogTemplate & { order: number } => {
          const [unit, text] = random.pick(templates(kind)[level])
          return { level, unit, message: fill(text, kind, random), order: random.next() }
        },
      ),
    )
    .toSorted((one, other) => one.order - other.order)
    .map(({ level, unit, message }) => ({ level, unit, message }))

const bootSteps: readonly [Template, ...Template[]] = [
  ['kernel', 'Booting Linux on physical CPU 0x{n}'],
  ['kernel', 'Memory: {m}K available'],
  ['kernel', 'mmcblk0: p1 p2 p3 p4'],
  ['kernel', 'EXT4-fs (mmcblk0p2): mounted filesystem with ordered data mode'],
  ['systemd', 'Reached target Basic System.'],
  ['systemd', 'Started Network Configuration.'],
  ['systemd', 'Mounted /data.'],
  ['kernel', '{if}: Link is Up - 100Mbps/Full'],
]

/** A boot logs 60 to 200 lines at once, fewer on a microcontroller. */
export const bootBurst = (kind: DeviceClass, random: Random): LogTemplate[] =>
  kind.id === 'sensor'
    ? [
        { level: 'info', unit: 'boot', message: 'I (24) boot: ESP-IDF v5.3.2 2nd stage bootloader' },
        ...routineLines(kind, random, 1),
      ]
    : Array.from({ length: random.whole(60, 200) }, () => {
        const [unit, text] = random.pick(bootSteps)
        return { level: 'info', unit, message: fill(text, kind, random) }
      })

/** The log lines of an incident; the metrics of the same minute show it too. */
const incidentLines: Record<Incident, (kind: DeviceClass, random: Random) => LogTemplate[]> = {
  out_of_memory: (_, random) => [
    { level: 'warning', unit: 'kernel', message: 'collector invoked oom-killer: gfp_mask=0x140cca, order=0, oom_score_adj=0' },
    {
      level: 'err',
      unit: 'kernel',
      message: `Out of memory: Killed process ${random.whole(300, 4000)} (collector) total-vm:${random.whole(400_000, 900_000)}kB`,
    },
    { level: 'notice', unit: 'systemd', message: "collector.service: Failed with result 'oom-kill'." },
  ],
  thermal_throttle: () => [{ level: 'warning', unit: 'kernel', message: 'cpu clock throttled, thermal zone 0 above 85 C' }],
  disk_full: () => [{ level: 'err', unit: 'collector', message: 'write /data/spool: No space left on device' }],
  under_voltage: () => [{ level: 'crit', unit: 'kernel', message: 'Under-voltage detected!' }],
  storage_failure: (_, random) => [
    ...Array.from({ length: 3 }, (): LogTemplate => ({
      level: 'warning',
      unit: 'kernel',
      message: 'mmc0: Timeout waiting for hardware interrupt.',
    })),
    {
      level: 'err',
      unit: 'kernel',
      message: `EXT4-fs error (device mmcblk0p3): ext4_find_entry: inode #${random.whole(2, 9000)}`,
    },
    { level: 'crit', unit: 'kernel', message: 'EXT4-fs (mmcblk0p3): Remounting filesystem read-only' },
  ],
  wrong_clock: () => [
    {
      level: 'err',
      unit: 'updater',
      message: 'check-in failed: certificate is not yet valid, the clock says 1970-01-01T00:02:11Z',
    },
    { level: 'notice', unit: 'systemd-timesyncd', message: 'System clock was stepped to the time of 192.0.2.7:123.' },
  ],
}

/** What can happen to a device of this kind: a microcontroller has neither a swap, a file system nor a certificate store. */
const incidentsOf = (kind: DeviceClass): readonly [Incident, ...Incident[]] =>
  kind.id === 'sensor'
    ? ['under_voltage']
    : ['out_of_memory', 'thermal_throttle', 'disk_full', 'under_voltage', 'storage_failure', 'wrong_clock']

export type Reported = { lines: LogTemplate[]; incidents: Incident[]; readings: Sample['readings'] }

/** Measurements and lines of the last `minutes`; `perDay` incidents are scripted on top of those that the signals lead to. */
export const reportOf = (
  kind: DeviceClass,
  random: Random,
  signals: Pick<Signals, 'at' | 'script'>,
  { nowMs, minutes, share, perDay }: { nowMs: number; minutes: number; share: number; perDay: number },
): Reported => {
  if (perDay > 0 && random.chance((perDay * minutes) / 1440)) signals.script(random.pick(incidentsOf(kind)))
  const { readings, incidents } = signals.at(nowMs)
  const lines = [
    ...routineLines(kind, random, minutes, share),
    ...incidents.flatMap((incident) => incidentLines[incident](kind, random)),
  ]
  return { readings, incidents, lines }
}
