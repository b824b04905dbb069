import { createHash, createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ArtifactRole, PlatformId } from '../../../../contract/updates/secure-boot/platforms'
import { fingerprintOf } from '../formats/public-keys'
import type { ArtifactInput, BundleFacts } from '../types'
import { bytesReader } from './bytes-reader'

/** A copy of a file that `make-samples.ts` wrote. */
export const sample = (name: string): Buffer => Buffer.from(readFileSync(join(import.meta.dirname, 'samples', name)))

/** The EEPROM image is erased flash after its sections. */
const eeprom = () => Buffer.concat([sample('pieeprom.start.bin'), Buffer.alloc(524_288, 0xff)]).subarray(0, 524_288)

export type SampleFiles = Partial<Record<ArtifactRole, Buffer>>
/** The files of a chain as Microsoft and Debian sign it: by issued certificates, GRUB and kernel behind shim. */
export const chainFiles = (): [role: ArtifactRole, name: string, bytes: Buffer][] => [
  ['uefi_pk', 'PK.auth', sample('chain-PK.auth')],
  ['uefi_kek', 'KEK.auth', sample('chain-KEK.auth')],
  ['uefi_db', 'db.auth', sample('chain-db.auth')],
  ['uefi_dbx', 'dbx.auth', sample('chain-dbx.auth')],
  ['second_stage', 'shim.efi', sample('shim.efi')],
  ['second_stage', 'grub.efi', sample('grub.efi')],
  ['kernel', 'kernel.efi', sample('chain-kernel.efi')],
]

/** A FIT of mkimage with 101 images and 100 signed configurations, and its public key. */
export const manyFit = () => ({ bytes: gunzipSync(sample('fit-many.itb.gz')), publicKey: sample('fit-many.pub.pem').toString() })

type Sample = { files: () => SampleFiles; keys?: string[]; rollbackVersion?: number }

/** A complete bundle for each platform. */
const samples: Readonly<Record<PlatformId, Sample>> = {
  'nxp-hab': {
    files: () => ({
      boot_container: sample('flash-hab.bin'),
      key_table: sample('srk-table.bin'),
      key_hash: sample('srk-fuse.bin'),
      fit_image: sample('fit.itb'),
    }),
    keys: ['fit.pub.pem'],
  },
  'nxp-ahab': {
    files: () => ({
      boot_container: sample('flash-ahab.bin'),
      key_table: sample('ahab-table.bin'),
      key_hash: sample('ahab-fuse.bin'),
    }),
    rollbackVersion: 4,
  },
  'ti-k3': {
    files: () => ({ first_stage: sample('tiboot3.bin'), second_stage: sample('tispl.bin'), fit_image: sample('u-boot.img') }),
    rollbackVersion: 3,
  },
  esp32: {
    files: () => ({
      first_stage: sample('bootloader-esp.bin'),
      partition_table: sample('partitions.bin'),
      kernel: sample('app-esp.bin'),
      key_hash: sample('esp-digest.bin'),
    }),
    rollbackVersion: 5,
  },
  stm32mp: {
    files: () => ({ first_stage: sample('fsbl.stm32'), second_stage: sample('fip.bin'), key_hash: sample('stm32-hash.bin') }),
    rollbackVersion: 2,
  },
  rpi: {
    files: () => ({
      second_stage: eeprom(),
      fit_image: sample('boot.img'),
      certificate: sample('boot.sig'),
      config: sample('rpi-config.txt'),
      key_hash: sample('rpi-hash.bin'),
    }),
  },
  'nvidia-jetson': {
    files: () => ({ boot_container: Buffer.alloc(64, 1), key_hash: sample('jetson-hash.bin'), config: sample('fuses.xml') }),
  },
  'riscv-polarfire': {
    files: () => ({ monitor_sbi: sample('payload-hss.bin'), fit_image: sample('fit.itb'), config: Buffer.from('<design/>') }),
    keys: ['hss.pub.pem', 'fit.pub.pem'],
  },
  uefi: {
    files: () => ({
      uefi_pk: sample('PK.auth'),
      uefi_kek: sample('KEK.auth'),
      uefi_db: sample('db.auth'),
      second_stage: sample('loader.efi'),
      kernel: sample('kernel-efi.efi'),
    }),
  },
  'u-boot-fit': { files: () => ({ fit_image: sample('fit.itb'), device_tree: sample('u-boot.dtb') }) },
  mcuboot: {
    files: () => ({
      first_stage: sample('mcuboot-loader.bin'),
      kernel: sample('app-mcuboot.bin'),
      key_hash: sample('mcuboot-hash.bin'),
    }),
    rollbackVersion: 7,
  },
}

export const samplePlatforms = Object.keys(samples) as PlatformId[]

export const sampleFiles = (platform: PlatformId): SampleFiles => samples[platform].files()

export const sampleBundle = (platform: PlatformId, changes: Partial<BundleFacts> = {}): BundleFacts => ({
  id: 'bundle',
  name: 'Sample',
  version: 1,
  platform,
  hardwareModels: ['model'],
  rollbackVersion: samples[platform].rollbackVersion ?? 0,
  keys: (samples[platform].keys ?? []).map((name, slot) => toBundleKey(sample(name).toString(), slot)),
  keyHash: null,
  fuseConfig: { words: [], close_step: null, debug_lock: 'open' },
  ...changes,
})

export const toBundleKey = (public_key_pem: string, slot = 0): BundleFacts['keys'][number] => {
  const key = createPublicKey(public_key_pem)
  return {
    slot,
    key_id: null,
    fingerprint: fingerprintOf(key),
    algorithm: String(key.asymmetricKeyType),
    public_key_pem,
    revoked: false,
    is_known_test_key: false,
  }
}

export const toArtifacts = (files: SampleFiles): ArtifactInput[] =>
  namedArtifacts(
    (Object.entries(files) as [ArtifactRole, Buffer][]).map(([role, bytes]) => [
      role,
      role === 'certificate' ? 'boot.sig' : `${role}.bin`,
      bytes,
    ]),
    ([role]) => role,
  )

type NamedFile = [role: ArtifactRole, name: string, bytes: Buffer]
/** Several files may have one role: their names are their ids then. */
export const namedArtifacts = (files: NamedFile[], idOf = ([, name]: NamedFile): string => name): ArtifactInput[] =>
  files
    .map((file) => [...file, idOf(file)] as const)
    .map(([role, fileName, bytes, id]) => ({
      id,
      role,
      fileName,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      loadAddress: null,
      bytes: bytesReader(bytes),
    }))
