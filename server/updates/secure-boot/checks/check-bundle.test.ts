import { createHash, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type ArtifactRole, type PlatformId, platformRules } from '../../../../contract/updates/secure-boot/platforms'
import { overlapZip } from '../../../../tests/support/overlap-zip'
import { crc32 } from '../formats/esp32'
import { sample, sampleBundle, sampleFiles, type SampleFiles, samplePlatforms, toArtifacts } from '../testing/sample-bundles'
import type { BundleFacts } from '../types'
import { checkBundle } from './check-bundle'

/** The rules with another result than ok, without the platform. */
const findings = async (platform: PlatformId, files: SampleFiles, changes: Partial<BundleFacts> = {}) => {
  const { checks } = await checkBundle(sampleBundle(platform, changes), toArtifacts(files))
  return checks.filter(({ level }) => level !== 'ok').map(({ id, level }) => `${level} ${id.replace(`${platform}.`, '')}`)
}

type Edit = (bytes: Buffer) => Buffer
const flip =
  (offset: number): Edit =>
  (bytes) => {
    const at = offset < 0 ? bytes.length + offset : offset
    bytes[at] = (bytes[at] ?? 0) ^ 0x01
    return bytes
  }
const flipAfter =
  (mark: Buffer | string, distance = 0): Edit =>
  (bytes) => {
    const at = bytes.indexOf(mark)
    if (at < 0) throw new Error('The sample does not have the mark')
    return flip(at + distance)(bytes)
  }
const cut =
  (length: number): Edit =>
  (bytes) =>
    bytes.subarray(0, length)
const put =
  (name: string): Edit =>
  () =>
    sample(name)
const replace =
  (from: string, to: string): Edit =>
  (bytes) =>
    Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1')
const setBytes =
  (...values: [offset: number, value: number][]): Edit =>
  (bytes) => {
    for (const [offset, value] of values) bytes[offset] = value
    return bytes
  }
const fill =
  (start: number, end: number): Edit =>
  (bytes) =>
    bytes.fill(0, start, end)

/** Changes of a signature block with its CRC mended. */
const mendCrc = (bytes: Buffer) => {
  bytes.writeUInt32LE(crc32(bytes.subarray(4096, 4096 + 1196)), 4096 + 1196)
  return bytes
}
const nextDigit: Edit = (bytes) => replace('rsa2048: ', 'rsa2048: 0')(bytes).subarray(0, -2)
const longKey: Edit = (bytes) => {
  bytes.writeUInt32BE(16 + 512, bytes.indexOf('pubkey.bin') - 4)
  return bytes
}
const modeFirst: Edit = (bytes) => {
  const mode = '<fuse name="SecurityMode" size="4" value="0x1"/>'
  return replace('<fuse name="Public', `${mode}\n<fuse name="Public`)(replace(mode, '')(bytes))
}

type Row = [title: string, role: ArtifactRole, edit: Edit, expected: string | string[], changes?: Partial<BundleFacts>]

/** Offsets are those that `make-samples.ts` gave the parts. */
const broken: Readonly<Record<PlatformId, Row[]>> = {
  'nxp-hab': [
    ['the tag of the IVT', 'boot_container', flip(0), 'error ivt_tag'],
    ['an image without CSF', 'boot_container', fill(24, 28), 'error csf_missing'],
    ['a byte of the signed image', 'boot_container', flip(200), 'error image_signature'],
    ['a byte of a CSF command', 'boot_container', flip(0x1000 + 35), 'error csf_signature'],
    ['the tag of the CSF', 'boot_container', flip(0x1000), 'error hab_csf'],
    ['another SRK in the image', 'boot_container', flip(0x1000 + 0x100 + 1060), 'error srk_table'],
    ['a cut image', 'boot_container', cut(0x1800), 'error hab_truncated'],
    ['a CSF without certificates', 'boot_container', setBytes([0x1010, 0xc0], [0x1028, 0xc0]), 'warning fast_authentication'],
    [
      'an encrypted part',
      'boot_container',
      setBytes([0x1039, 0xa3]),
      ['warning encrypted', 'error csf_signature', 'error image_signature_missing', 'error ivt_signed'],
    ],
    ['the tag of the SRK table', 'key_table', flip(0), 'error srk_table_magic'],
    ['the length of an SRK entry', 'key_table', flip(5), 'error srk_table_entry'],
    ['another key hash', 'key_hash', flip(3), 'error key_hash'],
    ['a key hash of 31 bytes', 'key_hash', cut(31), 'error key_hash_length'],
    [
      'a key hash that is not that of the bundle',
      'key_hash',
      (bytes) => bytes,
      'error key_hash_bundle',
      { keyHash: '00'.repeat(32) },
    ],
    ['a byte of the kernel in the FIT', 'fit_image', flipAfter('Kernel', 40), 'error fit_hash'],
    ['a FIT without key', 'fit_image', (bytes) => bytes, 'warning fit_key_missing', { keys: [] }],
    ['a FIT without signature', 'fit_image', put('plain.itb'), 'warning fit_signature_missing'],
  ],
  'nxp-ahab': [
    ['the tag of the container', 'boot_container', flip(3), 'error container_magic'],
    ['a byte of an image', 'boot_container', flip(0x1000 + 5), 'error image_hash'],
    ['a byte of the signature', 'boot_container', flip(16 + 128 + 16 + 436 + 8 + 20), 'error signature'],
    ['a certificate in the signature block', 'boot_container', setBytes([16 + 128 + 4, 1]), 'warning certificate'],
    ['a container that nobody signed', 'boot_container', fill(4, 8), 'error signature_missing'],
    ['the tag of the signature block', 'boot_container', flip(147), 'error container_signature_block'],
    ['another SRK in the container', 'boot_container', flip(16 + 128 + 16 + 420), ['error signature', 'error srk_table']],
    ['a fuse version that is too low', 'boot_container', (bytes) => bytes, 'error rollback_version', { rollbackVersion: 5 }],
    ['the tag of the SRK table', 'key_table', flip(0), 'error srk_table_magic'],
    ['the tag of an SRK record', 'key_table', flip(4), 'error srk_table_record'],
    ['another key hash', 'key_hash', flip(0), 'error key_hash'],
    ['a key hash of 48 bytes', 'key_hash', () => Buffer.alloc(48, 1), 'error key_hash_length'],
  ],
  'ti-k3': [
    ['the certificate at the head', 'first_stage', flip(0), 'error x509_magic'],
    ['a byte of the image', 'first_stage', flip(-10), 'error image_hash'],
    ['a byte of the certificate signature', 'first_stage', flip(-710), 'error certificate_signature'],
    ['a cut image', 'first_stage', cut(1000), 'error image_truncated'],
    [
      'a SWREV below the rollback version',
      'first_stage',
      (bytes) => bytes,
      Array(3).fill('error rollback_version'),
      { rollbackVersion: 4 },
    ],
    [
      'a byte of the second stage',
      'second_stage',
      flipAfter(createHash('sha256').update('tispl 0').digest()),
      'error image_hash',
    ],
    ['a second stage without certificates', 'second_stage', put('fit.itb'), 'error stage_signed'],
    ['the magic of the second stage', 'second_stage', flip(0), 'error x509_magic'],
    ['a third stage without certificates', 'fit_image', put('fit.itb'), 'error stage_signed'],
  ],
  esp32: [
    ['the magic byte', 'first_stage', flip(0), 'error image_magic'],
    ['a byte of the padding', 'first_stage', flip(4000), 'error signature_digest'],
    ['a byte of the signature', 'first_stage', (bytes) => mendCrc(flip(4096 + 900)(bytes)), 'error signature'],
    ['the magic of the signature block', 'first_stage', flip(4096), 'error signature_block'],
    ['the CRC of the signature block', 'first_stage', flip(4096 + 1196), 'error signature_block'],
    ['a segment that is too long', 'first_stage', flip(24 + 7), 'error image_truncated'],
    ['an app that another key signed', 'kernel', put('app-esp-other.bin'), 'error app_key'],
    ['a SECURE_VERSION that is too low', 'kernel', (bytes) => bytes, 'error rollback_version', { rollbackVersion: 6 }],
    ['the magic of the partition table', 'partition_table', flip(0), 'error partition_table_magic'],
    ['a name in the partition table', 'partition_table', flip(14), 'error partition_table_md5'],
    ['another key digest', 'key_hash', flip(0), 'error key_hash'],
    ['a key digest of 33 bytes', 'key_hash', () => Buffer.alloc(33), 'error key_hash_length'],
  ],
  stm32mp: [
    ['the magic number', 'first_stage', flip(0), 'error header_magic'],
    ['the header version', 'first_stage', flip(73), 'error header_version'],
    ['a byte of the image', 'first_stage', flip(-1), 'error signature'],
    ['a byte of the signature', 'first_stage', flip(10), 'error signature'],
    [
      'an image that is not signed',
      'first_stage',
      put('fsbl-unsigned.stm32'),
      ['error rollback_version', 'error signature_missing'],
    ],
    [
      'the checksum of an image that is not signed',
      'first_stage',
      () => flip(-1)(sample('fsbl-unsigned.stm32')),
      ['error checksum', 'error rollback_version', 'error signature_missing'],
    ],
    ['an image version that is too low', 'first_stage', (bytes) => bytes, 'error rollback_version', { rollbackVersion: 3 }],
    ['an image length beyond the file', 'first_stage', flip(79), 'error header_truncated'],
    ['the magic of the second stage', 'second_stage', flip(0), 'error second_stage'],
    ['another key hash', 'key_hash', flip(31), 'error key_hash'],
    ['a key hash of 33 bytes', 'key_hash', () => Buffer.alloc(33), 'error key_hash_length'],
  ],
  rpi: [
    ['the magic of the EEPROM', 'second_stage', flip(0), ['error eeprom_magic', 'warning key_missing']],
    ['the size of the EEPROM', 'second_stage', cut(1000), ['error eeprom_size', 'warning key_missing']],
    [
      'an EEPROM without public key',
      'second_stage',
      replace('pubkey.bin', 'public.bin'),
      ['error eeprom_key', 'warning key_missing'],
    ],
    ['an EEPROM with a place for the key alone', 'second_stage', longKey, ['error eeprom_key', 'warning key_missing']],
    ['a byte of boot.img', 'fit_image', flip(700), 'error sig_hash'],
    ['the boot sector', 'fit_image', flip(510), ['error sig_hash', 'error boot_img']],
    ['a digit of the hash', 'certificate', flip(0), 'error sig_hash'],
    ['a first line that is no hash', 'certificate', () => Buffer.from('no hash\n'), 'error sig_first_line'],
    ['a cut signature', 'certificate', cut(300), 'error sig_length'],
    ['a file without signature', 'certificate', cut(80), 'error sig_signature_missing'],
    ['a changed signature', 'certificate', nextDigit, 'error sig_signature'],
    [
      'a switch that cannot be undone',
      'config',
      replace('#program_pubkey', 'program_pubkey'),
      'warning irreversible_program_pubkey',
    ],
    ['a configuration that is no text', 'config', () => Buffer.from([0, 1, 2]), 'error config_text'],
    ['another key hash', 'key_hash', flip(0), 'warning key_hash'],
  ],
  'nvidia-jetson': [
    ['the magic of the configuration', 'config', replace('0x45535546', '0x45535547'), 'error fuses_magic'],
    ['a fuse that is not known', 'config', replace('name="BootSecurityInfo"', 'name="BootInfo"'), 'error fuse_name'],
    ['a value that is too long', 'config', replace('size="4"', 'size="0"'), 'error fuse_size'],
    ['SecurityMode before another fuse', 'config', modeFirst, 'error security_mode_last'],
    [
      'a fuse that is written twice',
      'config',
      replace('name="BootSecurityInfo"', 'name="SecurityMode"'),
      ['error fuse_twice', 'error security_mode_last'],
    ],
    ['no hash of the public key', 'config', replace('PublicKeyHash', 'PkcPubkeyHash1'), 'error public_key_hash_missing'],
    [
      'a secret in clear',
      'config',
      replace('<fuse name="Boot', '<fuse name="OemK1" size="32" value="0x1234"/>\n<fuse name="Boot'),
      'warning fuse_secret',
    ],
    ['an entity', 'config', replace('<generic', '<!DOCTYPE a><generic'), 'error fuses_xml'],
    ['another key hash', 'key_hash', flip(0), 'error key_hash'],
    ['a key hash of 20 bytes', 'key_hash', cut(20), 'error key_hash_length'],
  ],
  'riscv-polarfire': [
    ['the magic number', 'monitor_sbi', flip(0), 'error hss_magic'],
    ['the CRC of the header', 'monitor_sbi', flip(16), ['error header_crc', 'error digest']],
    ['a byte of the payload', 'monitor_sbi', flip(-1), 'error digest'],
    ['a byte of the signature', 'monitor_sbi', flip(1488 + 60), 'error signature'],
    ['an image that is not signed', 'monitor_sbi', fill(1488, 1632), 'error signature_missing'],
    ['a cut image', 'monitor_sbi', cut(2000), 'error hss_truncated'],
    ['no public key', 'monitor_sbi', (bytes) => bytes, ['warning key_missing', 'warning fit_key_missing'], { keys: [] }],
    ['the magic of the FIT', 'fit_image', flip(0), 'error fit_magic'],
    ['an empty configuration', 'config', () => Buffer.alloc(0), 'error config'],
  ],
  uefi: [
    ['a PK for tests', 'uefi_pk', put('test-PK.auth'), ['warning test_key', 'error uefi_kek_signature']],
    ['a byte of the PK list', 'uefi_pk', flip(-800), 'error uefi_pk_esl'],
    ['the time of PK', 'uefi_pk', flip(4), 'error uefi_pk_signature'],
    ['KEK that another key signed', 'uefi_kek', put('KEK-other.auth'), 'error uefi_kek_signature'],
    ['the time of db', 'uefi_db', flip(5), 'error uefi_db_signature'],
    ['db as a plain list', 'uefi_db', put('db.esl'), 'warning uefi_db_unsigned'],
    ['the MZ of the loader', 'second_stage', flip(0), 'error pe_magic'],
    ['a byte of the loader', 'second_stage', flip(600), 'error authenticode_digest'],
    ['a loader without signature', 'second_stage', put('unsigned.efi'), 'error authenticode_missing'],
    ['a loader that another key signed', 'second_stage', put('other-efi.efi'), 'error authenticode_trust'],
    ['a byte of the Authenticode signature', 'second_stage', flip(-10), 'error authenticode_signature'],
    ['a table of certificates beyond the file', 'kernel', cut(2000), 'error pe_header'],
    [
      'a kernel that is no EFI program',
      'kernel',
      setBytes([64 + 24 + 68, 3]),
      ['error pe_subsystem', 'error authenticode_digest'],
    ],
  ],
  'u-boot-fit': [
    ['the magic of the FIT', 'fit_image', flip(0), 'error fit_magic'],
    ['a byte of the kernel', 'fit_image', flipAfter('Kernel', 40), 'error fit_hash'],
    ['the entry point of the kernel', 'fit_image', flipAfter(Buffer.from('80080000', 'hex'), 3), 'error fit_signature'],
    ['a FIT without signature', 'fit_image', put('plain.itb'), 'error fit_signature_missing'],
    [
      'a signature that covers too little',
      'fit_image',
      replace('/images/fdt/hash-1', '/images/fdt/hash-2'),
      ['error fit_coverage', 'error fit_signature'],
    ],
    ['a cut FIT', 'fit_image', cut(1500), 'error fit_truncated'],
    ['a devicetree that is none', 'device_tree', flip(0), ['error device_tree_magic', 'warning fit_key_missing']],
    ['a key that is required for images only', 'device_tree', put('u-boot-image.dtb'), 'error required_conf'],
    ['a devicetree without key', 'device_tree', put('plain.itb'), ['error key_node', 'warning fit_key_missing']],
  ],
  mcuboot: [
    ['the magic number', 'kernel', flip(0), 'error image_magic'],
    ['a byte of the app', 'kernel', flip(100), 'error hash'],
    ['a byte of the signature', 'kernel', flip(-5), 'error signature'],
    ['the magic of the TLVs', 'kernel', flipAfter(Buffer.from('0769', 'hex')), 'error image_tlv_magic'],
    ['an app that another key signed', 'kernel', put('app-mcuboot-other.bin'), 'error key'],
    ['a security counter that is too low', 'kernel', (bytes) => bytes, 'error rollback_version', { rollbackVersion: 8 }],
    ['a cut app', 'kernel', cut(500), 'error image_truncated'],
    ['a boot loader without key', 'first_stage', cut(300), 'warning key_missing'],
    ['an empty boot loader', 'first_stage', cut(0), ['error first_stage', 'warning key_missing']],
    ['another key hash', 'key_hash', flip(0), 'error key_hash'],
  ],
}

describe.each(samplePlatforms)('the checks of %s', (platform) => {
  it('pass a complete bundle', async () => {
    const { checks, parsed } = await checkBundle(sampleBundle(platform), toArtifacts(sampleFiles(platform)))
    expect(checks.filter(({ level }) => level !== 'ok')).toEqual([])
    expect(checks.length).toBeGreaterThan(platformRules[platform].required.length + 1)
    expect([...parsed.values()].some((it) => it.parsed !== null)).toBe(true)
  })

  it.each(platformRules[platform].required.map((roles) => ({ roles, name: roles.join(' or ') })))(
    'find that $name is missing',
    async ({ roles }) => {
      const files = sampleFiles(platform)
      for (const role of roles) delete files[role]
      const errors = (await findings(platform, files)).filter((one) => one.startsWith('error'))
      expect(errors).toEqual([`error part_${roles.join('_or_')}`])
    },
  )

  it.each(broken[platform])('find %s', async (_, role, edit, expected, changes) => {
    const files = sampleFiles(platform)
    files[role] = edit(files[role] ?? Buffer.alloc(0))
    expect(await findings(platform, files, changes)).toEqual([expected].flat())
  })
})

/** Other forms that the checks take. */
const variants: [title: string, platform: PlatformId, files: () => SampleFiles][] = [
  [
    'an STM32 header of version 2.0',
    'stm32mp',
    () => ({ first_stage: sample('fsbl2.stm32'), key_hash: sample('stm32-hash2.bin') }),
  ],
  ['a second stage with an STM32 header', 'stm32mp', () => ({ second_stage: sample('fsbl.stm32') })],
  ['a key hash of 64 bytes for i.MX 8X', 'nxp-ahab', () => ({ key_hash: sample('ahab-fuse-512.bin') })],
  ['a kernel that HAB verifies', 'nxp-hab', () => ({ fit_image: sample('flash-hab.bin') })],
  ['a key writer', 'ti-k3', () => ({ key_writer: sample('tiboot3.bin') })],
  [
    'a fuse configuration with comments and an RPMB key',
    'nvidia-jetson',
    () => ({
      config: replace(
        '</generic',
        '<!-- <fuse name="Other"/> --><rpmb provisioning="0x1" dev_type="0x2"/></generic',
      )(sample('fuses.xml')),
    }),
  ],
  ['a key hash in hex digits', 'esp32', () => ({ key_hash: Buffer.from(`${sample('esp-digest.bin').toString('hex')}\n`) })],
]

it.each(variants)('The checks take %s', async (_, platform, files) => {
  expect(await findings(platform, { ...sampleFiles(platform), ...files() })).toEqual([])
})

/** Forms that are known and not read: they must not look broken. */
const unsupported: [title: string, platform: PlatformId, role: ArtifactRole, edit: Edit, expected: string][] = [
  ['an AHAB container of version 2', 'nxp-ahab', 'boot_container', setBytes([0, 2]), 'nxp-ahab.container_version'],
  ['the container before those of version 2', 'nxp-ahab', 'boot_container', setBytes([3, 0x82]), 'nxp-ahab.container_version'],
  ['an SRK table for them', 'nxp-ahab', 'key_table', setBytes([3, 0x43]), 'nxp-ahab.srk_table_version'],
  ['an STM32 header of version 2.2', 'stm32mp', 'first_stage', setBytes([73, 2], [74, 2]), 'stm32mp.header_version'],
  ['an STM32 header of version 2.3', 'stm32mp', 'first_stage', setBytes([73, 3], [74, 2]), 'stm32mp.header_version'],
]

it.each(unsupported)('The checks say that %s is not supported yet', async (_, platform, role, edit, id) => {
  const files = sampleFiles(platform)
  files[role] = edit(files[role] ?? Buffer.alloc(0))
  const { checks } = await checkBundle(sampleBundle(platform), toArtifacts(files))
  expect(checks.filter(({ level }) => level === 'error')).toMatchObject([
    { id, text: expect.stringContaining('not supported yet') },
  ])
})

it('The checks find a hash in the key table of an STM32 header that is not that of its key', async () => {
  const files = { ...sampleFiles('stm32mp'), first_stage: sample('fsbl2.stm32'), key_hash: sample('stm32-hash2.bin') }
  files.first_stage = flip(128 + 20)(files.first_stage)
  expect(await findings('stm32mp', files)).toEqual(['error key_table', 'error signature'])
})

it('The signature file of the EEPROM has its hash alone', async () => {
  const files = sampleFiles('rpi')
  const hash = createHash('sha256')
    .update(files.second_stage ?? '')
    .digest('hex')
  files.certificate = Buffer.from(`${hash}\nts: 1767225600\n`)
  expect(await findings('rpi', files)).toEqual([])
})

describe('the checks of every platform', () => {
  it('refuse a private key anywhere and read nothing else', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = privateKey.export({ type: 'pkcs8', format: 'der' })
    const files = sampleFiles('u-boot-fit')
    files.other = Buffer.concat([Buffer.alloc(5000), key])
    const { checks, parsed } = await checkBundle(sampleBundle('u-boot-fit'), toArtifacts(files))
    const found = checks.filter(({ level }) => level !== 'ok')
    expect(found).toMatchObject([
      { id: 'u-boot-fit.private_key', artifact_id: 'other', range: { offset: 5000, length: key.length } },
    ])
    expect(parsed.get('fit_image')?.parsed).toBeNull()
  })

  it('warn of a key whose private half is published', async () => {
    const files = sampleFiles('mcuboot')
    // MCUboot root-ed25519.pem: its public half.
    const key = Buffer.from('302a300506032b6570032100d4b31ba49a3add3f825d10ca7f31b50b0de87f37ccc49f1a403a5c1320ffb4e0', 'hex')
    files.first_stage = Buffer.concat([files.first_stage ?? Buffer.alloc(0), key])
    const { checks } = await checkBundle(sampleBundle('mcuboot'), toArtifacts(files))
    const [found, ...others] = checks.filter(({ level }) => level !== 'ok')
    expect(others).toEqual([])
    expect(found).toMatchObject({ id: 'mcuboot.test_key', level: 'warning', range: { offset: 491, length: 44 } })
    expect(found?.text).toContain('root-ed25519.pem')
  })

  it('name the file, the place and the rule', async () => {
    const files = sampleFiles('esp32')
    files.partition_table = Buffer.alloc(3072)
    const { checks } = await checkBundle(sampleBundle('esp32'), toArtifacts(files))
    expect(checks.find(({ level }) => level === 'error')).toMatchObject({
      id: 'esp32.partition_table_magic',
      text: 'partition_table.bin, bytes 0 to 1: An entry has the magic 0x0000, expected 0xAA50 (esp32.partition_table_magic)',
      artifact_id: 'partition_table',
      range: { offset: 0, length: 2 },
    })
  })

  it('end with a finding where a list is larger than what is read at once', async () => {
    const files = sampleFiles('uefi')
    const list = Buffer.alloc(1_000_000)
    Buffer.from('2616c4c14c509240aca941f936934328', 'hex').copy(list)
    list.writeUInt32LE(list.length, 16)
    list.writeUInt32LE(list.length - 28, 24)
    files.uefi_db = Buffer.concat([files.uefi_db ?? Buffer.alloc(0), ...Array.from({ length: 5 }, () => list)])
    expect(await findings('uefi', files)).toEqual(['error file_too_large'])
  })

  it('list archives within bounds and know private keys by their names', async () => {
    const header = (name: string) => {
      const bytes = sample('archive.tar').subarray(0, 512)
      return Buffer.concat([bytes.fill(0, 0, 100), Buffer.alloc(512)]).fill(name, 0, name.length)
    }
    const rules = async (archive: Buffer) => findings('u-boot-fit', { ...sampleFiles('u-boot-fit'), other: archive })
    expect(await rules(sample('archive.tar'))).toEqual([])
    expect(await rules(sample('archive.zip'))).toEqual([])
    expect(await rules(sample('archive.cpio'))).toEqual([])
    expect(await rules(header('keys/id_ed25519'))).toEqual(['error private_key_name'])
    expect(await rules(overlapZip({ count: 20, piece: 100_000, pieces: 5 }).bytes)).toEqual(['error archive_overlap'])
  })
})
