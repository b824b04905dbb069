/** Platform families of secure boot, by the root of trust in hardware. */
export const platformIds = [
  'nxp-hab',
  'nxp-ahab',
  'ti-k3',
  'esp32',
  'stm32mp',
  'rpi',
  'nvidia-jetson',
  'riscv-polarfire',
  'uefi',
  'u-boot-fit',
  'mcuboot',
] as const
export type PlatformId = (typeof platformIds)[number]

/** What a file of a bundle is for. */
export const artifactRoles = [
  'first_stage',
  'second_stage',
  'boot_container',
  'kernel',
  'device_tree',
  'initramfs',
  'fit_image',
  'partition_table',
  'trusted_firmware',
  'tee',
  'monitor_sbi',
  'key_table',
  'key_hash',
  'command_sequence',
  'certificate',
  'key_writer',
  'board_config',
  'uefi_pk',
  'uefi_kek',
  'uefi_db',
  'uefi_dbx',
  'config',
  'recovery',
  'other',
] as const
export type ArtifactRole = (typeof artifactRoles)[number]

type PlatformRules = {
  /** Each entry needs one file of one of its roles. */
  required: readonly (readonly ArtifactRole[])[]
  /** Lengths of the key hash that the part takes, in bytes; none: no key hash is burned. */
  keyHashBytes: readonly number[]
}

/** What a bundle needs to be complete, by platform. */
export const platformRules: Readonly<Record<PlatformId, PlatformRules>> = {
  'nxp-hab': { required: [['boot_container'], ['key_table'], ['key_hash'], ['fit_image']], keyHashBytes: [32] },
  'nxp-ahab': { required: [['boot_container'], ['key_table'], ['key_hash']], keyHashBytes: [32, 64] },
  // Only parts in the state HS-FS need the key writer: its absence is a finding of the checks.
  'ti-k3': { required: [['first_stage'], ['second_stage'], ['fit_image']], keyHashBytes: [64] },
  esp32: { required: [['first_stage'], ['partition_table'], ['fit_image', 'kernel'], ['key_hash']], keyHashBytes: [32] },
  stm32mp: { required: [['first_stage'], ['second_stage'], ['key_hash']], keyHashBytes: [32] },
  rpi: { required: [['second_stage'], ['fit_image'], ['certificate'], ['config']], keyHashBytes: [32] },
  'nvidia-jetson': { required: [['boot_container'], ['key_hash'], ['config']], keyHashBytes: [32, 64] },
  'riscv-polarfire': { required: [['monitor_sbi'], ['fit_image'], ['config']], keyHashBytes: [] },
  uefi: { required: [['uefi_pk'], ['uefi_kek'], ['uefi_db'], ['second_stage'], ['kernel']], keyHashBytes: [] },
  'u-boot-fit': { required: [['fit_image'], ['device_tree']], keyHashBytes: [] },
  mcuboot: { required: [['first_stage'], ['kernel']], keyHashBytes: [32] },
}
