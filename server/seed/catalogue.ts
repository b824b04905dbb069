import type { NewHardwareModel } from '../../contract/fleet/hardware-model-changes'
import type { TagColour } from '../../contract/fleet/tags'

const MiB = 1024 ** 2

/** The hardware models of the demo; the classes of `agent/simulate` have the same ids. */
export const models: NewHardwareModel[] = [
  { id: 'gw-imx8m', name: 'Field gateway', platform: 'nxp-hab', slots: 'ab' },
  { id: 'cam-rk3566', name: 'Canopy camera', platform: 'u-boot-fit', slots: 'single' },
  { id: 'sens-esp32s3', name: 'Soil sensor', platform: 'esp32', slots: 'ab' },
]

export const tags: { name: string; colour: TagColour; description: string }[] = [
  { name: 'canary', colour: 'ochre', description: 'Gets a release before anyone else' },
  { name: 'north-slope', colour: 'sky', description: 'Rows 1 to 40' },
  { name: 'south-slope', colour: 'clay', description: 'Rows 41 to 96' },
  { name: 'lte', colour: 'lagoon', description: 'On a metered link' },
  { name: 'bench', colour: 'stone', description: 'On a desk: expect noise' },
]

export type ReleaseLine = {
  model: string
  name: string
  version: number
  display: string
  kind: 'rootfs' | 'payload'
  file: string
  size: number
  location: string | null
  description: string
  notes: string
  /** Days before the start of the demo. */
  age: number
  /** Factory: installed from the start; next: ready to roll out; unsigned: waits for a signature. */
  role: 'factory' | 'next' | 'unsigned'
}

export const lines: ReleaseLine[] = [
  {
    model: 'gw-imx8m',
    name: 'Gateway 2.4.1',
    version: 20_401,
    display: '2.4.1',
    kind: 'rootfs',
    file: 'gateway-2.4.1.rootfs.img',
    size: 3 * MiB,
    location: null,
    description: 'Keeps readings through a power cut',
    notes:
      '## Fixed\n\n- Readings taken during a power cut are sent after it\n- The modem is reset when it stays silent for ten minutes',
    age: 19,
    role: 'factory',
  },
  {
    model: 'cam-rk3566',
    name: 'Camera 1.8.2',
    version: 10_802,
    display: '1.8.2',
    kind: 'payload',
    file: 'canopy-camera-1.8.2.bin',
    size: 2 * MiB,
    location: '/opt/canopy/firmware.bin',
    description: 'Steadier exposure at dawn',
    notes: '- Exposure follows the light meter\n- Pictures carry the row they were taken in',
    age: 16,
    role: 'factory',
  },
  {
    model: 'sens-esp32s3',
    name: 'Sensor 0.9.4',
    version: 904,
    display: '0.9.4',
    kind: 'rootfs',
    file: 'soil-sensor-0.9.4.img',
    size: 900 * 1024,
    location: null,
    description: 'Sleeps deeper between readings',
    notes: '- Battery life from 9 to 14 months',
    age: 15,
    role: 'factory',
  },
  {
    model: 'gw-imx8m',
    name: 'Gateway 2.5.0',
    version: 20_500,
    display: '2.5.0',
    kind: 'rootfs',
    file: 'gateway-2.5.0.rootfs.img',
    size: 3 * MiB,
    location: null,
    description: 'Valve schedules run on the gateway itself',
    notes:
      '## New\n\n- Valve schedules go on while the link is down\n- Kernel 6.6.52\n\n## Fixed\n\n- Two gateways on one mast no longer share an address',
    age: 2,
    role: 'next',
  },
  {
    model: 'cam-rk3566',
    name: 'Camera 1.9.0',
    version: 10_900,
    display: '1.9.0',
    kind: 'payload',
    file: 'canopy-camera-1.9.0.bin',
    size: 2 * MiB,
    location: '/opt/canopy/firmware.bin',
    description: 'Counts blossoms in the picture',
    notes: '- Counts blossoms in the camera and sends the number instead of the picture',
    age: 1,
    role: 'next',
  },
  {
    model: 'sens-esp32s3',
    name: 'Sensor 0.10.0',
    version: 1000,
    display: '0.10.0',
    kind: 'rootfs',
    file: 'soil-sensor-0.10.0.img',
    size: 900 * 1024,
    location: null,
    description: 'Measures salinity',
    notes: '- Salinity beside moisture, every sixth reading',
    age: 0,
    role: 'unsigned',
  },
]
