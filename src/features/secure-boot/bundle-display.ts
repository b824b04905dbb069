import type { Artifact } from '../../../contract/updates/secure-boot/artifacts'
import type { BundleState, Check } from '../../../contract/updates/secure-boot/bundles'
import type { ArtifactRole, PlatformId } from '../../../contract/updates/secure-boot/platforms'
import type { StatusDisplay } from '../../lib/status-display'

const bundleStates: Record<BundleState, StatusDisplay> = {
  draft: { shape: 'draft', word: 'Draft' },
  checking: { shape: 'running', word: 'Checking' },
  incomplete: { shape: 'error', word: 'Incomplete' },
  ready: { shape: 'success', word: 'Ready' },
  in_use: { shape: 'info', word: 'In use' },
  revoked: { shape: 'error', word: 'Revoked' },
  archived: { shape: 'none', word: 'Archived' },
}
export const bundleDisplay = (state: BundleState): StatusDisplay => bundleStates[state]

const levels: Record<Check['level'], StatusDisplay> = {
  error: { shape: 'error', word: 'Error' },
  warning: { shape: 'warning', word: 'Warning' },
  ok: { shape: 'success', word: 'Passed' },
}
export const levelDisplay = (level: Check['level']): StatusDisplay => levels[level]

const artifactStates: Record<Artifact['state'], StatusDisplay> = {
  expected: { shape: 'waiting', word: 'Waiting for bytes' },
  uploading: { shape: 'running', word: 'Uploading' },
  ready: { shape: 'success', word: 'Stored' },
  rejected: { shape: 'error', word: 'Refused' },
}
export const artifactDisplay = (state: Artifact['state']): StatusDisplay => artifactStates[state]

export const platformLabels: Record<PlatformId, string> = {
  'nxp-hab': 'NXP i.MX 6, 7, 8M (HAB v4)',
  'nxp-ahab': 'NXP i.MX 8, 8X, 8ULP, 9x (AHAB)',
  'ti-k3': 'TI K3 (AM6x, TDA4)',
  esp32: 'Espressif ESP32 family',
  stm32mp: 'STM32MP1, MP2',
  rpi: 'Raspberry Pi 4, 5, CM4',
  'nvidia-jetson': 'NVIDIA Jetson',
  'riscv-polarfire': 'Microchip PolarFire SoC (RISC-V)',
  uefi: 'UEFI, x86 and Arm',
  'u-boot-fit': 'U-Boot verified boot',
  mcuboot: 'Microcontrollers with MCUboot',
}

export const roleLabels: Record<ArtifactRole, string> = {
  first_stage: 'First stage',
  second_stage: 'Second stage',
  boot_container: 'Boot container',
  kernel: 'Kernel or application',
  device_tree: 'Device tree',
  initramfs: 'Initramfs',
  fit_image: 'FIT image',
  partition_table: 'Partition table',
  trusted_firmware: 'Trusted firmware',
  tee: 'Trusted execution environment',
  monitor_sbi: 'Monitor (SBI)',
  key_table: 'Key table',
  key_hash: 'Key hash',
  command_sequence: 'Command sequence file',
  certificate: 'Certificate or signature',
  key_writer: 'Key writer',
  board_config: 'Board configuration',
  uefi_pk: 'Platform key (PK)',
  uefi_kek: 'Key exchange key (KEK)',
  uefi_db: 'Allowed signatures (db)',
  uefi_dbx: 'Revoked signatures (dbx)',
  config: 'Configuration',
  recovery: 'Recovery',
  other: 'Other',
}

/** Nothing about the parts of such a bundle can be changed. */
export const isEditable = (state: BundleState): boolean => state === 'draft' || state === 'incomplete' || state === 'ready'
