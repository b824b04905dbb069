import type { Manifest } from './manifest'
import type { DeviceFacts } from './verify'

export const day = 86_400_000
export const madeAt = Date.parse('2026-03-01T12:00:00Z')
export const ids = {
  release: '01JNV4E3S0000000000000REKE',
  project: '01JNV4E3S000000000000PR0J1',
  otherProject: '01JNV4E3S000000000000PR0J2',
  asset: '01JNV4E3S0000000000000ASS1',
  hook: '01JNV4E3S0000000000000H00K',
} as const

/** A release of one file, valid for a year. */
export const aManifest = (changes: Partial<Manifest> = {}): Manifest => ({
  schema: 1,
  id: ids.release,
  project_id: ids.project,
  name: 'Gateway firmware',
  version: 12,
  display_version: '2.4.1',
  type: 'file',
  hardware_models: ['gw-imx8m', 'gw-imx8m-lte'],
  min_installed_version: null,
  rollback_version: null,
  created_at: '2026-03-01T12:00:00+00:00',
  expires_at: '2027-03-01T12:00:00+00:00',
  reboot: 'never',
  hooks: { pre_install: null, post_install: null, post_reboot: null },
  files: [aFile()],
  allow_downgrade_from: [],
  ...changes,
})

export const aFile = (changes: Partial<Manifest['files'][number]> = {}): Manifest['files'][number] => ({
  name: 'app.bin',
  kind: 'payload',
  size: 4096,
  sha256: 'a'.repeat(64),
  install_location: '/opt/app/app.bin',
  mode: '0755',
  path: `/device/v1/assets/${ids.asset}`,
  ...changes,
})

export const theDevice = (changes: Partial<DeviceFacts> = {}): DeviceFacts => ({
  now: madeAt + day,
  projectId: ids.project,
  hardwareModel: 'gw-imx8m',
  installedVersion: 11,
  mayReturnTo: [],
  rollbackVersion: 0,
  ...changes,
})
