import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  chainFiles,
  manyFit,
  namedArtifacts,
  sample,
  sampleBundle,
  sampleFiles,
  toArtifacts,
  toBundleKey,
} from '../testing/sample-bundles'
import { checkBundle } from './check-bundle'

const broken = async (...given: Parameters<typeof checkBundle>) => {
  const { checks } = await checkBundle(...given)
  return checks.filter(({ level }) => level !== 'ok').map(({ id, artifact_id }) => `${artifact_id} ${id}`)
}

const many = (bytes: Buffer) =>
  broken(
    sampleBundle('u-boot-fit', { keys: [toBundleKey(manyFit().publicKey)] }),
    toArtifacts({ fit_image: bytes, device_tree: sample('u-boot.dtb') }),
  )
/** The bytes with one changed after a mark. */
const spoil = (bytes: Buffer, mark: Buffer | string, distance: number) => {
  const at = bytes.lastIndexOf(mark)
  expect(at).toBeGreaterThan(0)
  bytes[at + distance] = (bytes[at + distance] ?? 0) ^ 1
  return bytes
}

it('A FIT of mkimage with 100 signed configurations is checked to its last image and configuration', async () => {
  const { bytes } = manyFit()
  expect(await many(bytes)).toEqual([])
  const board = (n: number) => createHash('sha256').update(`board ${n} 0`).digest()
  expect(await many(spoil(manyFit().bytes, board(90), 3))).toEqual(['fit_image u-boot-fit.fit_hash'])
  expect(await many(spoil(manyFit().bytes, board(99), 3))).toEqual(['fit_image u-boot-fit.fit_hash'])
  expect(await many(spoil(manyFit().bytes, 'fdt-95\0', 5))).toEqual([
    'fit_image u-boot-fit.fit_coverage',
    'fit_image u-boot-fit.fit_signature',
  ])
})

it('Of findings of one kind the first 50 are listed and the others counted, at their level', async () => {
  const { bytes } = manyFit()
  const wrong = (count: number) => {
    const changed = Buffer.from(bytes)
    for (let n = 0; n < count; n++) spoil(changed, createHash('sha256').update(`board ${n} 0`).digest(), 3)
    return many(changed)
  }
  expect(await wrong(50)).toHaveLength(50)
  expect(await wrong(51)).toHaveLength(51)
  const { checks } = await checkBundle(
    sampleBundle('u-boot-fit', { keys: [toBundleKey(manyFit().publicKey)] }),
    toArtifacts({ fit_image: bytes, device_tree: sample('u-boot.dtb') }),
  )
  const hashes = checks.filter(({ id }) => id === 'u-boot-fit.fit_hash')
  expect([hashes.length, hashes.at(-1)]).toMatchObject([
    51,
    { level: 'ok', reason: '51 more findings of this rule are not listed', range: null },
  ])
})

const chain = (change: Record<string, Buffer | null> = {}) =>
  namedArtifacts(
    chainFiles().flatMap(([role, name, bytes]) => {
      const changed = name in change ? change[name] : bytes
      return changed ? [[role, name, changed] as [typeof role, string, Buffer]] : []
    }),
  )

it('UEFI variables and programs are trusted by chains, and GRUB behind shim by the certificate in shim', async () => {
  const { checks, parsed } = await checkBundle(sampleBundle('uefi'), chain())
  expect(checks.filter(({ level }) => level !== 'ok')).toEqual([])
  expect(checks.find(({ id }) => id === 'uefi.uefi_db_signature')?.reason).toBe(
    'db is signed with CN=kek-leaf sample, which a certificate of KEK issued',
  )
  const shims = checks.filter(({ id }) => id === 'uefi.authenticode_shim')
  expect(shims.map(({ artifact_id }) => artifact_id)).toEqual(['grub.efi', 'kernel.efi'])
  expect(shims[0]?.reason).toMatch(/^Trusted by shim's own certificate, not by db: shim\.efi/)
  expect(parsed.get('shim.efi')?.parsed?.facts).toContainEqual({
    name: 'Certificate of shim',
    value: 'CN=vendor sample',
    offset: null,
  })
})

it('UEFI variables and programs are not trusted by a certificate that is no authority, a shim that db does not trust, or none', async () => {
  const of = (change: Record<string, Buffer | null>) => broken(sampleBundle('uefi'), chain(change))
  expect(await of({ 'db.auth': sample('chain-db-false.auth') })).toEqual(['db.auth uefi.uefi_db_signature'])
  expect(await of({ 'KEK.auth': sample('KEK.auth') })).toEqual([
    'KEK.auth uefi.uefi_kek_signature',
    'db.auth uefi.uefi_db_signature',
    'dbx.auth uefi.uefi_dbx_signature',
  ])
  expect(await of({ 'shim.efi': null })).toEqual(['grub.efi uefi.authenticode_trust', 'kernel.efi uefi.authenticode_trust'])
  expect(await of({ 'db.auth': sample('db.auth') })).toEqual([
    'db.auth uefi.uefi_db_signature',
    ...['shim.efi', 'grub.efi', 'kernel.efi'].map((name) => `${name} uefi.authenticode_trust`),
  ])
  // The certificate inside shim is under its signature.
  expect(await of({ 'shim.efi': spoil(sample('shim.efi'), 'vendor sample', 3) })).toContain('grub.efi uefi.authenticode_trust')
})

it('A genuine dbx update of Microsoft is signed with a leaf that a key of KEK issued', async () => {
  const der = sample('microsoft/KEK-2011.der')
  const list = Buffer.concat([Buffer.from('a159c0a5e494a74a87b5ab155c2bf072', 'hex'), Buffer.alloc(28), der])
  for (const [offset, value] of [
    [16, list.length],
    [20, 0],
    [24, 16 + der.length],
  ] as const)
    list.writeUInt32LE(value, offset)
  const dbx = sample('microsoft/DBXUpdate-arm64.bin')
  const signature = async (bytes: Buffer) =>
    (
      await checkBundle(sampleBundle('uefi'), toArtifacts({ ...sampleFiles('uefi'), uefi_kek: list, uefi_dbx: bytes }))
    ).checks.find(({ id }) => id === 'uefi.uefi_dbx_signature')
  expect(await signature(dbx)).toMatchObject({
    level: 'ok',
    reason: expect.stringContaining('CN=Microsoft Windows UEFI Key Exchange Key'),
  })
  dbx[dbx.length - 1] = (dbx.at(-1) ?? 0) ^ 1
  expect(await signature(dbx)).toMatchObject({ level: 'error' })
})

const u16 = (value: number) => Buffer.from([value & 255, value >> 8])
/** An image by MCUboot's docs/design.md, with its signature as `imgtool sign` writes it. */
const mcubootImage = (curve: 'P-256' | 'P-384', pad: (signature: Buffer) => Buffer) => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: curve })
  const hash = curve === 'P-256' ? 'sha256' : 'sha384'
  const header = Buffer.alloc(32)
  header.writeUInt32LE(0x96_f3_b8_3d)
  header.writeUInt16LE(32, 8)
  header.writeUInt32LE(100, 12)
  const signed = Buffer.concat([header, Buffer.alloc(100, 7)])
  const tlv = (type: number, value: Buffer) => Buffer.concat([u16(type), u16(value.length), value])
  const digest = (bytes: Buffer) => createHash(hash).update(bytes).digest()
  const tlvs = Buffer.concat([
    tlv(curve === 'P-256' ? 0x10 : 0x11, digest(signed)),
    tlv(0x01, digest(publicKey.export({ type: 'spki', format: 'der' }))),
    tlv(0x22, pad(sign(hash, signed, privateKey))),
  ])
  return {
    bytes: Buffer.concat([signed, u16(0x69_07), u16(tlvs.length + 4), tlvs]),
    publicKey: String(publicKey.export({ type: 'spki', format: 'pem' })),
  }
}
const zeros = (length: number) => (signature: Buffer) => Buffer.concat([signature, Buffer.alloc(length - signature.length)])
const mcuboot = ({ bytes, publicKey }: ReturnType<typeof mcubootImage>) =>
  broken(
    sampleBundle('mcuboot', { keys: [toBundleKey(publicKey)], rollbackVersion: 0 }),
    toArtifacts({ first_stage: Buffer.alloc(64, 1), kernel: bytes }),
  )

it.each([
  ['of P-256 as it is', 'P-256', (signature: Buffer) => signature],
  ['of P-256 with zeros up to 72 bytes', 'P-256', zeros(72)],
  ['of P-384 with zeros up to 104 bytes', 'P-384', zeros(104)],
] as const)('A signature of MCUboot %s is valid', async (_, curve, pad) => {
  expect(await mcuboot(mcubootImage(curve, pad))).toEqual([])
})

it('A signature of MCUboot is not valid with other bytes behind it, or none at all', async () => {
  const behind = mcubootImage('P-256', (signature) => Buffer.concat([signature, Buffer.from([0, 1])]))
  expect(await mcuboot(behind)).toEqual(['kernel mcuboot.signature'])
  expect(await mcuboot(mcubootImage('P-256', () => Buffer.alloc(72)))).toEqual(['kernel mcuboot.signature'])
})
