import type { ArtifactRole, PlatformId } from '../../../contract/updates/secure-boot/platforms'

type Guess = { role: ArtifactRole; name: RegExp; platforms?: readonly PlatformId[] }

/** The usual names of the files, as the vendors' tools write them. The first that matches decides. */
const names: readonly Guess[] = [
  { role: 'uefi_pk', name: /^pk\.(?:auth|esl|cer|crt|der)$/ },
  { role: 'uefi_kek', name: /^kek\.(?:auth|esl|cer|crt|der)$/ },
  { role: 'uefi_dbx', name: /^dbx.*\.(?:auth|esl|bin)$/ },
  { role: 'uefi_db', name: /^db\.(?:auth|esl|cer|crt|der)$/ },
  { role: 'second_stage', name: /\.efi$/, platforms: ['uefi'] },
  { role: 'kernel', name: /^(?:vmlinuz|bzimage|linux)/, platforms: ['uefi'] },
  { role: 'certificate', name: /\.sig$/, platforms: ['rpi'] },
  { role: 'second_stage', name: /^pieeprom/, platforms: ['rpi'] },
  { role: 'fit_image', name: /^boot\.img$/, platforms: ['rpi'] },
  { role: 'recovery', name: /^recovery/ },
  { role: 'key_writer', name: /key[-_]?writer|keywriter/ },
  { role: 'first_stage', name: /^tiboot3/, platforms: ['ti-k3'] },
  { role: 'second_stage', name: /^tispl/, platforms: ['ti-k3'] },
  { role: 'fit_image', name: /^u-boot\.img$/, platforms: ['ti-k3'] },
  { role: 'partition_table', name: /partition[-_]?table|^partitions/ },
  { role: 'first_stage', name: /^bootloader/, platforms: ['esp32'] },
  { role: 'first_stage', name: /^mcuboot/, platforms: ['mcuboot'] },
  { role: 'kernel', name: /\.(?:signed\.)?(?:bin|hex)$/, platforms: ['mcuboot'] },
  { role: 'first_stage', name: /\.stm32$/, platforms: ['stm32mp'] },
  { role: 'second_stage', name: /fip.*\.bin$|\.fip$/, platforms: ['stm32mp'] },
  { role: 'monitor_sbi', name: /^hss|opensbi|fw_(?:jump|payload|dynamic)/ },
  { role: 'key_table', name: /srk.*table/ },
  { role: 'key_hash', name: /srk.*fuse|srk.*hash|pkh|digest|key[-_]?hash/ },
  { role: 'command_sequence', name: /\.csf$|^csf/ },
  { role: 'trusted_firmware', name: /^bl31|^tf-?a/ },
  { role: 'tee', name: /^tee|optee/ },
  { role: 'device_tree', name: /\.dtb$/ },
  { role: 'fit_image', name: /\.(?:itb|fit)$|fitimage/ },
  { role: 'initramfs', name: /initr(?:d|amfs)/ },
  { role: 'boot_container', name: /^(?:flash|imx-boot)|container/ },
  { role: 'kernel', name: /^(?:image|zimage|vmlinux)/ },
  { role: 'config', name: /\.(?:xml|txt|cfg|ini|conf|json|yaml)$/ },
  { role: 'certificate', name: /\.(?:crt|cer|pem|der)$/ },
]

type Magic = { role: ArtifactRole; at: number; bytes: readonly number[]; platforms?: readonly PlatformId[] }

/** First bytes that leave no doubt on these platforms. A flattened device tree is a FIT image or a device tree: the name decides. */
const magics: readonly Magic[] = [
  { role: 'first_stage', at: 0, bytes: [0x53, 0x54, 0x4d, 0x32], platforms: ['stm32mp'] },
  { role: 'partition_table', at: 0, bytes: [0xaa, 0x50], platforms: ['esp32'] },
  { role: 'kernel', at: 0, bytes: [0x3d, 0xb8, 0xf3, 0x96], platforms: ['mcuboot'] },
  { role: 'second_stage', at: 0, bytes: [0x4d, 0x5a], platforms: ['uefi'] },
  { role: 'fit_image', at: 0, bytes: [0xd0, 0x0d, 0xfe, 0xed] },
  { role: 'kernel', at: 0, bytes: [0xe9], platforms: ['esp32'] },
]

const fits = (platform: PlatformId, platforms: readonly PlatformId[] | undefined) =>
  platforms === undefined || platforms.includes(platform)

/** A proposal for the role of a file, from its name, then from its first bytes; the person chooses. */
export const guessRole = (platform: PlatformId, fileName: string, head: Uint8Array): ArtifactRole => {
  const name = fileName.toLowerCase()
  const byName = names.find((one) => fits(platform, one.platforms) && one.name.test(name))
  const byMagic = magics.find(
    ({ at, bytes, platforms }) => fits(platform, platforms) && bytes.every((byte, index) => head[at + index] === byte),
  )
  return byName?.role ?? byMagic?.role ?? 'other'
}
