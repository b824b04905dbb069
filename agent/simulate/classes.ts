import type { Random } from './random'

/** The properties of one kind of device. All numbers are chosen to look like a mixed fleet; none is measured. */
export type DeviceClass = {
  id: string
  share: number
  model: string
  label: string
  platform: string
  slots: boolean
  memoryBytes: number
  storageBytes: number
  /** Seconds that each phase takes before the speed factor. */
  phases: { download: number; verify: number; install: number; reboot: number; validate: number }
  temperature: number
  cpu: number
  memoryPercent: number
  diskPercent: number
  link: { interface: string; rssi: number | null; dropOut: number }
  battery: boolean
  attributes: Record<string, string>
}

const GiB = 2 ** 30
const MiB = 2 ** 20

export const classes: readonly DeviceClass[] = [
  {
    id: 'gateway',
    share: 0.4,
    model: 'gw-imx8m',
    label: 'Gateway',
    platform: 'nxp-hab',
    slots: true,
    memoryBytes: 2 * GiB,
    storageBytes: 8 * GiB,
    phases: { download: 60, verify: 3, install: 40, reboot: 35, validate: 20 },
    temperature: 48,
    cpu: 22,
    memoryPercent: 46,
    diskPercent: 38,
    link: { interface: 'eth0', rssi: null, dropOut: 0.002 },
    battery: false,
    attributes: {
      os_name: 'Yocto',
      os_version: '5.0.6',
      kernel_version: '6.6.52',
      arch: 'arm64',
      cpu_model: 'i.MX 8M Mini',
      bootloader_version: '2024.04',
      secure_boot_state: 'closed',
    },
  },
  {
    id: 'camera',
    share: 0.2,
    model: 'cam-rk3566',
    label: 'Camera',
    platform: 'u-boot-fit',
    slots: false,
    memoryBytes: 1 * GiB,
    storageBytes: 16 * GiB,
    phases: { download: 90, verify: 4, install: 30, reboot: 28, validate: 15 },
    temperature: 66,
    cpu: 54,
    memoryPercent: 58,
    diskPercent: 61,
    link: { interface: 'eth0', rssi: null, dropOut: 0.004 },
    battery: false,
    attributes: {
      os_name: 'Buildroot',
      os_version: '2024.11',
      kernel_version: '6.1.118',
      arch: 'arm64',
      cpu_model: 'RK3566',
      bootloader_version: '2023.10',
      secure_boot_state: 'enforcing',
    },
  },
  {
    id: 'panel',
    share: 0.15,
    model: 'hmi-am62x',
    label: 'Panel',
    platform: 'ti-k3',
    slots: true,
    memoryBytes: 2 * GiB,
    storageBytes: 8 * GiB,
    phases: { download: 70, verify: 3, install: 45, reboot: 40, validate: 20 },
    temperature: 52,
    cpu: 30,
    memoryPercent: 51,
    diskPercent: 44,
    link: { interface: 'eth0', rssi: null, dropOut: 0.001 },
    battery: false,
    attributes: {
      os_name: 'Arago',
      os_version: '2024.06',
      kernel_version: '6.6.44',
      arch: 'arm64',
      cpu_model: 'AM625',
      bootloader_version: '2024.04',
      secure_boot_state: 'closed',
    },
  },
  {
    id: 'sensor',
    share: 0.2,
    model: 'sens-esp32s3',
    label: 'Sensor',
    platform: 'esp32',
    slots: true,
    memoryBytes: MiB / 2,
    storageBytes: 8 * MiB,
    phases: { download: 180, verify: 1, install: 6, reboot: 2, validate: 10 },
    temperature: 27,
    cpu: 6,
    memoryPercent: 41,
    diskPercent: 12,
    link: { interface: 'wlan0', rssi: -71, dropOut: 0.03 },
    battery: true,
    attributes: {
      os_name: 'ESP-IDF',
      os_version: '5.3.2',
      kernel_version: 'FreeRTOS 10.5.1',
      arch: 'xtensa',
      cpu_model: 'ESP32-S3',
      secure_boot_state: 'closed',
    },
  },
  {
    id: 'controller',
    share: 0.05,
    model: 'ctl-mpfs',
    label: 'Controller',
    platform: 'riscv-polarfire',
    slots: true,
    memoryBytes: 1 * GiB,
    storageBytes: 4 * GiB,
    phases: { download: 50, verify: 3, install: 35, reboot: 30, validate: 20 },
    temperature: 44,
    cpu: 18,
    memoryPercent: 37,
    diskPercent: 29,
    link: { interface: 'eth0', rssi: null, dropOut: 0.002 },
    battery: false,
    attributes: {
      os_name: 'Yocto',
      os_version: '5.0.6',
      kernel_version: '6.6.51',
      arch: 'riscv64',
      cpu_model: 'PolarFire SoC',
      bootloader_version: 'HSS 2024.09',
      secure_boot_state: 'closed',
    },
  },
]

const sites = [
  'harbour',
  'north-gate',
  'cold-store',
  'line-2',
  'roof',
  'workshop',
  'depot',
  'pump-house',
  'quay',
  'yard',
  'hall-4',
  'substation',
] as const

/** Who one simulated device is; `name` is the name that people see. */
export type DeviceProfile = { serial: string; name: string; kind: DeviceClass }

/**
 * The fleet of one seed: shares are kept as exactly as whole devices allow, and a larger fleet begins with the smaller one's
 * devices.
 */
export const fleetOf = (
  seed: string | number,
  count: number,
  among: readonly DeviceClass[],
  randomFor: (name: string) => Random,
): DeviceProfile[] => {
  const owed = new Map(among.map((kind) => [kind, 0]))
  const total = among.reduce((sum, { share }) => sum + share, 0)
  return Array.from({ length: count }, (_, at) => {
    for (const kind of among) owed.set(kind, (owed.get(kind) ?? 0) + kind.share / total)
    const kind = [...owed].reduce((most, one) => (one[1] > most[1] ? one : most))[0]
    owed.set(kind, (owed.get(kind) ?? 0) - 1)
    const random = randomFor(`identity/${at}`)
    const digits = random.whole(0x100000, 0xffffff).toString(16).toUpperCase()
    const number = String(at + 1).padStart(2, '0')
    return {
      kind,
      serial: `${kind.model.slice(0, 3).replace('-', '').toUpperCase()}-${seed}-${digits}`,
      name: `${kind.id}-${random.pick(sites)}-${number}`,
    }
  })
}
