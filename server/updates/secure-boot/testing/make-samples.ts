/**
 * Writes the samples of `samples/` with the platforms' own tools, as far as Debian has them: `npx tsx
 * server/updates/secure-boot/testing/make-samples.ts` on a machine with u-boot-tools, device-tree-compiler, openssl, sbsigntool and
 * efitools; names of functions below as arguments choose what is written again. The private keys are made for one run and deleted with its directory.
 */
import { execFileSync } from 'node:child_process'
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { crc32 } from '../formats/esp32'
import { reversed } from '../formats/public-keys'

const out = join(import.meta.dirname, 'samples')
const work = mkdtempSync(join(tmpdir(), 'samples-'))
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] })
const at = (name: string) => join(work, name)
const read = (name: string) => readFileSync(at(name))
const write = (name: string, bytes: Buffer | string) => writeFileSync(at(name), bytes)
const keep = (name: string, bytes: Buffer = read(name)) => writeFileSync(join(out, name), bytes)

const u16 = (value: number) => Buffer.from([value & 255, value >> 8])
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const u64 = (value: number) => Buffer.concat([u32(value), u32(0)])
const b16 = (value: number) => Buffer.from([value >> 8, value & 255])
const b32 = (value: number) => reversed(u32(value))
const pad = (bytes: Buffer, length: number, fill = 0) => Buffer.concat([bytes, Buffer.alloc(length - bytes.length, fill)])
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()
/** Bytes that differ from place to place and in every sample. */
const body = (length: number, seed: string) =>
  Buffer.concat(Array.from({ length: Math.ceil(length / 32) }, (_, n) => sha256(Buffer.from(`${seed} ${n}`)))).subarray(0, length)

const rsaPair = (name: string, bits: number) => run('openssl', 'genrsa', '-out', `${name}.key`, String(bits))
const ecPair = (name: string, curve: string) =>
  run('openssl', 'ecparam', '-name', curve, '-genkey', '-noout', '-out', `${name}.key`)
const privateKey = (name: string) => createPrivateKey(read(`${name}.key`))
const publicKey = (name: string) => createPublicKey(read(`${name}.key`))
const certificate = (name: string, subject: string, ...more: string[]) =>
  run(
    'openssl',
    'req',
    '-new',
    '-x509',
    '-sha256',
    '-days',
    '36500',
    '-key',
    `${name}.key`,
    '-out',
    `${name}.crt`,
    '-subj',
    `/CN=${subject}`,
    ...more,
  )
const keepPublic = (name: string) => keep(`${name}.pub.pem`, Buffer.from(publicKey(name).export({ type: 'spki', format: 'pem' })))
const number = (key: KeyObject, part: 'n' | 'e' | 'x' | 'y') =>
  Buffer.from(key.export({ format: 'jwk' })[part] ?? '', 'base64url')

/** mkimage: a FIT with a signed configuration, and the devicetree of U-Boot with the key. */
const makeFit = () => {
  rsaPair('fit', 2048)
  certificate('fit', 'FIT sample')
  write('kernel.bin', body(600, 'kernel'))
  write('board.dts', '/dts-v1/; / { compatible = "teasel,sample"; };')
  run('dtc', '-q', '-O', 'dtb', '-o', 'board.dtb', 'board.dts')
  const its = (signature: string, imageSignature: string) => `/dts-v1/; / { description = "Sample"; #address-cells = <1>;
    images {
      kernel { description = "Kernel"; data = /incbin/("kernel.bin"); type = "kernel"; arch = "arm64"; os = "linux";
        compression = "none"; load = <0x80080000>; entry = <0x80080000>; hash-1 { algo = "sha256"; }; ${imageSignature} };
      fdt { description = "Devicetree"; data = /incbin/("board.dtb"); type = "flat_dt"; arch = "arm64"; compression = "none";
        hash-1 { algo = "sha256"; }; };
    };
    configurations { default = "conf"; conf { kernel = "kernel"; fdt = "fdt"; ${signature} }; };
  };`
  const signature = (images: string) => `signature-1 { algo = "sha256,rsa2048"; key-name-hint = "fit"; ${images} };`
  write('fit.its', its(signature('sign-images = "kernel", "fdt";'), ''))
  write('image.its', its('', signature('')))
  write('plain.its', its('', ''))
  write('u-boot.dts', '/dts-v1/; / { model = "Sample"; };')
  for (const name of ['u-boot', 'u-boot-image']) run('dtc', '-q', '-p', '4096', '-O', 'dtb', '-o', `${name}.dtb`, 'u-boot.dts')
  run('mkimage', '-f', 'fit.its', '-k', '.', '-K', 'u-boot.dtb', '-r', 'fit.itb')
  run('mkimage', '-f', 'image.its', '-k', '.', '-K', 'u-boot-image.dtb', '-r', 'image.itb')
  run('mkimage', '-f', 'plain.its', 'plain.itb')
  for (const name of ['fit.itb', 'plain.itb', 'u-boot.dtb', 'u-boot-image.dtb']) keep(name)
  keepPublic('fit')
}

/** mkimage: 100 signed configurations with a devicetree each, as for the boards of one product line. */
const makeManyFit = () => {
  ecPair('fit-many', 'prime256v1')
  write('fit-many.pem', read('fit-many.key'))
  write('many-kernel.bin', body(200, 'many'))
  const numbers = Array.from({ length: 100 }, (_, n) => n)
  for (const n of numbers) write(`board-${n}.dtb`, body(32, `board ${n}`))
  const image = (name: string, file: string, facts: string) =>
    `${name} { description = "${name}"; data = /incbin/("${file}"); arch = "arm64"; compression = "none"; ${facts} hash-1 { algo = "sha256"; }; };`
  const images = numbers.map((n) => image(`fdt-${n}`, `board-${n}.dtb`, 'type = "flat_dt";'))
  const kernel = 'type = "kernel"; os = "linux"; load = <0x80080000>; entry = <0x80080000>;'
  const signature = 'signature-1 { algo = "sha256,ecdsa256"; key-name-hint = "fit-many"; sign-images = "kernel", "fdt"; };'
  const configurations = numbers.map((n) => `conf-${n} { kernel = "kernel"; fdt = "fdt-${n}"; ${signature} };`)
  write(
    'many.its',
    `/dts-v1/; / { description = "Many"; #address-cells = <1>;
      images { ${image('kernel', 'many-kernel.bin', kernel)} ${images.join(' ')} };
      configurations { default = "conf-0"; ${configurations.join(' ')} }; };`,
  )
  run('mkimage', '-f', 'many.its', '-k', '.', '-r', 'many.itb')
  keep('fit-many.itb.gz', gzipSync(read('many.itb'), { level: 9 }))
  keepPublic('fit-many')
}

/** A PE program for EFI, unsigned, with its code in one section, and perhaps the certificate of a vendor in another. */
const makeProgram = (seed: string, vendor?: Buffer) => {
  const code = body(512, seed)
  const table = vendor && Buffer.concat([u32(vendor.length), u32(0), u32(16), u32(16 + vendor.length), vendor])
  const tableBytes = table ? Math.ceil(table.length / 512) * 512 : 0
  // A long name of a section is in the table of strings.
  const strings = table ? Buffer.concat([u32(17), Buffer.from('.vendor_cert\0')]) : Buffer.alloc(0)
  const stringsAt = table ? 64 + 24 + 240 + 80 : 0
  const coff = Buffer.concat([
    Buffer.from('PE\0\0'),
    u16(0x8664),
    u16(table ? 2 : 1),
    u32(0),
    u32(stringsAt),
    u32(0),
    u16(240),
    u16(0x22),
  ])
  const optional = Buffer.concat([
    u16(0x20b),
    u16(0),
    u32(512),
    u32(0),
    u32(0),
    u32(0x1000),
    u32(0x1000),
    u64(0x40_0000),
    u32(0x1000),
    u32(512),
    u32(0),
    u32(0),
    u32(0),
    u32(0),
    u32(0x2000),
    u32(512),
    u32(0),
    u16(10),
    u16(0),
    u64(0),
    u64(0),
    u64(0),
    u64(0),
    u32(0),
    u32(16),
    Buffer.alloc(128),
  ])
  const section = Buffer.concat([
    pad(Buffer.from('.text'), 8),
    u32(512),
    u32(0x1000),
    u32(512),
    u32(512),
    Buffer.alloc(12),
    u32(0x60_00_00_20),
  ])
  const vendorSection = table
    ? Buffer.concat([
        pad(Buffer.from('/4'), 8),
        u32(table.length),
        u32(0x2000),
        u32(tableBytes),
        u32(1024),
        Buffer.alloc(12),
        u32(0x40_00_00_40),
      ])
    : Buffer.alloc(0)
  const dos = pad(Buffer.from('MZ'), 64)
  dos.writeUInt32LE(64, 60)
  const head = pad(Buffer.concat([dos, coff, optional, section, vendorSection, strings]), 512)
  return Buffer.concat([head, code, ...(table ? [pad(table, tableBytes)] : [])])
}

/** efitools and sbsign. */
const makeUefi = () => {
  for (const name of ['PK', 'KEK', 'db', 'other', 'test-PK']) rsaPair(name, 2048)
  for (const name of ['PK', 'KEK', 'db', 'other']) certificate(name, `${name} sample`)
  certificate('test-PK', 'DO NOT TRUST - sample test PK')
  for (const name of ['PK', 'KEK', 'db', 'test-PK'])
    run('cert-to-efi-sig-list', '-g', '8be4df61-93ca-11d2-aa0d-00e098032b8c', `${name}.crt`, `${name}.esl`)
  const signList = (variable: string, key: string, list: string, file: string) =>
    run('sign-efi-sig-list', '-t', '2026-01-01 00:00:00', '-k', `${key}.key`, '-c', `${key}.crt`, variable, list, file)
  signList('PK', 'PK', 'PK.esl', 'PK.auth')
  signList('KEK', 'PK', 'KEK.esl', 'KEK.auth')
  signList('db', 'KEK', 'db.esl', 'db.auth')
  signList('KEK', 'other', 'KEK.esl', 'KEK-other.auth')
  signList('PK', 'test-PK', 'test-PK.esl', 'test-PK.auth')
  for (const name of ['PK.auth', 'KEK.auth', 'db.auth', 'KEK-other.auth', 'test-PK.auth', 'db.esl']) keep(name)
  for (const [name, key] of [
    ['loader', 'db'],
    ['kernel-efi', 'db'],
    ['other-efi', 'other'],
  ] as const) {
    write(`${name}.unsigned`, makeProgram(name))
    run('sbsign', '--key', `${key}.key`, '--cert', `${key}.crt`, '--output', `${name}.efi`, `${name}.unsigned`)
    keep(`${name}.efi`)
  }
  keep('unsigned.efi', read('loader.unsigned'))
}

/**
 * efitools and sbsign, as Microsoft and Debian sign: variables by a leaf that KEK issued, shim by a leaf of an authority in db
 * through another one, GRUB and kernel by a leaf of the certificate in shim.
 */
const makeUefiChain = () => {
  const issued = (name: string, by: string, isAuthority: boolean) => {
    rsaPair(name, 2048)
    write(`${name}.ext`, `basicConstraints = critical, CA:${isAuthority ? 'TRUE' : 'FALSE'}\n`)
    run('openssl', 'req', '-new', '-key', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name} sample`)
    const signer = ['-CA', `${by}.crt`, '-CAkey', `${by}.key`, '-CAcreateserial']
    run(
      ...(['openssl', 'x509', '-req', '-sha256', '-days', '36500', '-in', `${name}.csr`, ...signer] as [string, ...string[]]),
      '-extfile',
      `${name}.ext`,
      '-out',
      `${name}.crt`,
    )
  }
  const authorities = ['chain-PK', 'chain-KEK', 'chain-db', 'vendor']
  for (const name of authorities) {
    rsaPair(name, 2048)
    certificate(name, `${name} sample`)
  }
  issued('kek-leaf', 'chain-KEK', false)
  issued('middle', 'chain-db', true)
  issued('shim-leaf', 'middle', false)
  issued('grub-leaf', 'vendor', false)
  // Not an authority: what it "issued" is not trusted.
  issued('false-leaf', 'kek-leaf', false)
  for (const name of ['chain-PK', 'chain-KEK', 'chain-db'])
    run('cert-to-efi-sig-list', '-g', '8be4df61-93ca-11d2-aa0d-00e098032b8c', `${name}.crt`, `${name}.esl`)
  const signList = (variable: string, key: string, list: string, file: string, ...more: string[]) =>
    run('sign-efi-sig-list', ...more, '-t', '2026-01-01 00:00:00', '-k', `${key}.key`, '-c', `${key}.crt`, variable, list, file)
  signList('PK', 'chain-PK', 'chain-PK.esl', 'chain-PK.auth')
  signList('KEK', 'chain-PK', 'chain-KEK.esl', 'chain-KEK.auth')
  signList('db', 'kek-leaf', 'chain-db.esl', 'chain-db.auth')
  signList('db', 'false-leaf', 'chain-db.esl', 'chain-db-false.auth')
  signList('dbx', 'kek-leaf', 'chain-db.esl', 'chain-dbx.auth', '-a')
  for (const name of ['PK', 'KEK', 'db', 'db-false', 'dbx']) keep(`chain-${name}.auth`)
  keep('chain-kek.der', new X509Certificate(read('chain-KEK.crt')).raw)
  const vendor = new X509Certificate(read('vendor.crt')).raw
  for (const [name, key, program] of [
    ['shim', 'shim-leaf', makeProgram('shim', vendor)],
    ['grub', 'grub-leaf', makeProgram('grub')],
    ['chain-kernel', 'grub-leaf', makeProgram('chain kernel')],
  ] as const) {
    write(`${name}.unsigned`, program)
    const others = key === 'shim-leaf' ? ['--addcert', 'middle.crt'] : []
    run('sbsign', '--key', `${key}.key`, '--cert', `${key}.crt`, ...others, '--output', `${name}.efi`, `${name}.unsigned`)
    keep(`${name}.efi`)
  }
}

/** openssl: the extensions that binman writes, and mkimage for the FIT of the second stage. */
const makeK3 = () => {
  rsaPair('k3', 2048)
  const signed = (name: string, image: Buffer, swrev: number, rom: boolean) => {
    const hash = createHash('sha512').update(image).digest('hex')
    const integrity = `shaType = OID:2.16.840.1.101.3.4.2.3\nshaValue = FORMAT:HEX,OCT:${hash}`
    write(
      `${name}.cnf`,
      rom
        ? `[req]\ndistinguished_name = dn\nx509_extensions = v3\nprompt = no\n[dn]\nCN = K3 sample\n[v3]\nbasicConstraints = CA:true
1.3.6.1.4.1.294.1.1 = ASN1:SEQUENCE:boot_seq\n1.3.6.1.4.1.294.1.2 = ASN1:SEQUENCE:integrity\n1.3.6.1.4.1.294.1.3 = ASN1:SEQUENCE:swrv
1.3.6.1.4.1.294.1.8 = ASN1:SEQUENCE:debug\n[boot_seq]\ncertType = INTEGER:1\nbootCore = INTEGER:16\nbootCoreOpts = INTEGER:0
destAddr = FORMAT:HEX,OCT:43c00000\nimageSize = INTEGER:${image.length}\n[integrity]\n${integrity}\n[swrv]\nswrv = INTEGER:${swrev}
[debug]\ndebugUID = FORMAT:HEX,OCT:${'00'.repeat(32)}\ndebugType = INTEGER:0\ncoreDbgEn = INTEGER:0\ncoreDbgSecEn = INTEGER:0\n`
        : `[req]\ndistinguished_name = dn\nx509_extensions = v3\nprompt = no\n[dn]\nCN = K3 sample\n[v3]\nbasicConstraints = CA:true
1.3.6.1.4.1.294.1.3 = ASN1:SEQUENCE:swrv\n1.3.6.1.4.1.294.1.34 = ASN1:SEQUENCE:integrity\n[swrv]\nswrv = INTEGER:${swrev}
[integrity]\n${integrity}\nimageSize = INTEGER:${image.length}\n`,
    )
    run(
      'openssl',
      'req',
      '-new',
      '-x509',
      '-sha512',
      '-days',
      '36500',
      '-key',
      'k3.key',
      '-outform',
      'DER',
      '-out',
      `${name}.der`,
      '-config',
      `${name}.cnf`,
    )
    return Buffer.concat([read(`${name}.der`), image])
  }
  keep('tiboot3.bin', signed('tiboot3', body(700, 'tiboot3'), 3, true))
  for (const [file, seed] of [
    ['tispl.bin', 'tispl'],
    ['u-boot.img', 'u-boot'],
  ] as const) {
    write(`${seed}.part`, signed(seed, body(500, seed), 3, false))
    write(
      `${seed}.its`,
      `/dts-v1/; / { description = "${seed}"; images { ${seed} { data = /incbin/("${seed}.part"); type = "firmware";
      arch = "arm64"; compression = "none"; os = "u-boot"; load = <0x80000000>; entry = <0x80000000>; }; }; configurations { default = "conf"; conf { firmware = "${seed}"; }; }; };`,
    )
    run('mkimage', '-f', `${seed}.its`, file)
    keep(file)
  }
}

/** mkimage writes header 1.0; STM32_SigningTool is not free, so that OpenSSL signs it. Version 2.0 is put together here. */
const makeStm32 = () => {
  ecPair('stm32', 'prime256v1')
  const point = Buffer.concat([number(publicKey('stm32'), 'x'), number(publicKey('stm32'), 'y')])
  const signFrom72 = (image: Buffer) =>
    sign('sha256', image.subarray(72), { key: privateKey('stm32'), dsaEncoding: 'ieee-p1363' }).copy(image, 4)
  write('fsbl.bin', body(900, 'fsbl'))
  run('mkimage', '-T', 'stm32image', '-a', '0x2ffc2500', '-e', '0x2ffc2500', '-n', 'fsbl', '-d', 'fsbl.bin', 'fsbl.stm32')
  keep('fsbl-unsigned.stm32', read('fsbl.stm32'))
  const first = read('fsbl.stm32')
  first.writeUInt32LE(2, 96)
  first.writeUInt32LE(0, 100)
  first.writeUInt32LE(1, 104)
  point.copy(first, 108)
  signFrom72(first)
  keep('fsbl.stm32', first)
  keep('stm32-hash.bin', sha256(point))
  const image = body(600, 'fsbl2')
  const entry = sha256(Buffer.concat([u32(1), point]))
  const table = Buffer.concat([entry, ...Array.from({ length: 7 }, (_, n) => body(32, `key ${n}`))])
  const extension = Buffer.concat([u32(0x02_00_54_53), u32(84 + 256), u32(0), u32(8), u32(1), point, table])
  const head = Buffer.concat([
    Buffer.from('STM2'),
    Buffer.alloc(64),
    u32(image.reduce((sum, byte) => sum + byte, 0)),
    Buffer.from([0, 0, 2, 0]),
    u32(image.length),
    u32(0x2ffe_0000),
    u32(0),
    u32(0x2ffe_0000),
    u32(0),
    u32(2),
    u32(1),
    u32(extension.length),
    u32(0x10),
    Buffer.alloc(16),
  ])
  const second = Buffer.concat([head, extension, image])
  signFrom72(second)
  keep('fsbl2.stm32', second)
  keep('stm32-hash2.bin', sha256(table))
  keep('fip.bin', Buffer.concat([u32(0xaa_64_00_01), u32(0x12_34_56_78), Buffer.alloc(56)]))
}

/** OpenSSL for keys, certificates and CMS; SPSDK's description of the structures. */
const makeHab = () => {
  for (const n of [0, 1, 2, 3]) {
    rsaPair(`srk${n}`, 2048)
    certificate(`srk${n}`, `SRK ${n} sample`)
  }
  for (const name of ['csf', 'img']) {
    rsaPair(name, 2048)
    run('openssl', 'req', '-new', '-key', `${name}.key`, '-subj', `/CN=${name} sample`, '-out', `${name}.csr`)
    run(
      'openssl',
      'x509',
      '-req',
      '-sha256',
      '-days',
      '36500',
      '-in',
      `${name}.csr`,
      '-CA',
      'srk0.crt',
      '-CAkey',
      'srk0.key',
      '-CAcreateserial',
      '-out',
      `${name}.crt`,
    )
  }
  const record = (tag: number, bytes: Buffer, parameter: number) =>
    Buffer.concat([Buffer.from([tag]), b16(bytes.length + 4), Buffer.from([parameter]), bytes])
  const srks = [0, 1, 2, 3].map((n) => {
    const [modulus, exponent] = [number(publicKey(`srk${n}`), 'n'), number(publicKey(`srk${n}`), 'e')]
    return record(
      0xe1,
      Buffer.concat([Buffer.from([0, 0, 0, 0x80]), b16(modulus.length), b16(exponent.length), modulus, exponent]),
      0x21,
    )
  })
  const table = record(0xd7, Buffer.concat(srks), 0x40)
  keep('srk-table.bin', table)
  keep('srk-fuse.bin', sha256(Buffer.concat(srks.map(sha256))))
  const cms = (name: string, data: Buffer) => {
    write('signed.data', data)
    run(
      'openssl',
      'cms',
      '-sign',
      '-binary',
      '-md',
      'sha256',
      '-in',
      'signed.data',
      '-signer',
      `${name}.crt`,
      '-inkey',
      `${name}.key`,
      '-outform',
      'DER',
      '-out',
      'signed.cms',
    )
    return record(0xd8, read('signed.cms'), 0x40)
  }
  const x509 = (name: string) => record(0xd7, new X509Certificate(read(`${name}.crt`)).raw, 0x40)
  const self = 0x007e_0fc0
  const [imageBytes, csfAt] = [2048, 0x1000]
  const boot = Buffer.concat([u32(self), u32(0x3000), u32(0)])
  const ivt = Buffer.concat([
    Buffer.from([0xd1, 0, 32, 0x41]),
    u32(self + 64),
    u32(0),
    u32(0),
    u32(self + 32),
    u32(self),
    u32(self + csfAt),
    u32(0),
  ])
  const image = pad(Buffer.concat([ivt, pad(boot, 32), body(imageBytes - 64, 'spl')]), csfAt)
  const place = { table: 0x100, csf: 0x700, img: 0xc00, csfSignature: 0x1100, imageSignature: 0x1900 }
  const command = (tag: number, flags: number, ...parts: Buffer[]) => record(tag, Buffer.concat(parts), flags)
  const commands = record(
    0xd4,
    Buffer.concat([
      command(0xbe, 0, Buffer.from([0x03, 0x17, 0, 0]), b32(place.table)),
      command(0xbe, 2, Buffer.from([0x09, 0, 0, 1]), b32(place.csf)),
      command(0xca, 0, Buffer.from([1, 0xc5, 0, 0]), b32(place.csfSignature)),
      command(0xbe, 0, Buffer.from([0x09, 0, 0, 2]), b32(place.img)),
      command(0xca, 0, Buffer.from([2, 0xc5, 0, 0]), b32(place.imageSignature), b32(self), b32(imageBytes)),
    ]),
    0x43,
  )
  const csf = Buffer.alloc(0x2100)
  const parts: [number, Buffer][] = [
    [0, commands],
    [place.table, table],
    [place.csf, x509('csf')],
    [place.img, x509('img')],
    [place.csfSignature, cms('csf', commands)],
    [place.imageSignature, cms('img', image.subarray(0, imageBytes))],
  ]
  for (const [offset, bytes] of parts) bytes.copy(csf, offset)
  keep('flash-hab.bin', Buffer.concat([image, csf]))
}

/** Put together here after SPSDK and U-Boot; OpenSSL signs. */
const makeAhab = () => {
  for (const n of [0, 1, 2, 3]) ecPair(`ahab${n}`, 'secp384r1')
  const header = (tag: number, length: number, last: number) =>
    Buffer.concat([Buffer.from([tag]), u16(length), Buffer.from([last])])
  const records = [0, 1, 2, 3].map((n) => {
    const key = publicKey(`ahab${n}`)
    const values = Buffer.concat([number(key, 'x'), number(key, 'y')])
    return Buffer.concat([header(0xe1, 12 + values.length, 0x27), Buffer.from([1, 2, 0, 0]), u16(48), u16(48), values])
  })
  const all = Buffer.concat(records)
  const table = Buffer.concat([header(0xd7, 4 + all.length, 0x42), all])
  keep('ahab-table.bin', table)
  keep('ahab-fuse.bin', sha256(table))
  keep('ahab-fuse-512.bin', createHash('sha512').update(table).digest())
  const image = body(1500, 'ahab')
  const imageAt = 0x1000
  const entry = Buffer.concat([
    u32(imageAt),
    u32(image.length),
    u64(0x2049_a000),
    u64(0x2049_a000),
    u32(0x103),
    u32(0),
    pad(createHash('sha384').update(image).digest(), 64),
    Buffer.alloc(32),
  ])
  const blockAt = 16 + 128
  const signatureAt = 16 + table.length
  const length = blockAt + signatureAt + 8 + 96
  const head = Buffer.concat([header(0, length, 0x87), u32(2), u16(1), Buffer.from([4, 1]), u16(blockAt), u16(0)])
  const block = Buffer.concat([header(0, signatureAt + 8 + 96, 0x90), u16(0), u16(16), u16(signatureAt), u16(0), u32(0)])
  const signed = Buffer.concat([head, entry, block, table])
  const signature = sign('sha384', signed, { key: privateKey('ahab0'), dsaEncoding: 'ieee-p1363' })
  keep('flash-ahab.bin', Buffer.concat([pad(Buffer.concat([signed, header(0, 104, 0xd8), u32(0), signature]), imageAt), image]))
}

/** Put together here after esptool and gen_esp32part.py; OpenSSL signs. */
const makeEsp32 = () => {
  rsaPair('esp', 3072)
  rsaPair('esp-other', 3072)
  const image = (seed: string, description: Buffer) => {
    const segment = Buffer.concat([description, body(600 - description.length, seed)])
    const head = Buffer.concat([
      Buffer.from([0xe9, 1, 2, 0x20]),
      u32(0x4037_4000),
      Buffer.from([0xee, 0, 0, 0]),
      u16(9),
      Buffer.alloc(9),
      Buffer.from([1]),
    ])
    const start = Buffer.concat([head, u32(0x3fc8_0000), u32(segment.length), segment])
    const checksum = segment.reduce((sum, byte) => sum ^ byte, 0xef)
    const whole = Buffer.concat([start, Buffer.alloc(15 - (start.length % 16)), Buffer.from([checksum])])
    return pad(Buffer.concat([whole, sha256(whole)]), 4096, 0xff)
  }
  const block = (bytes: Buffer, key: string) => {
    const modulus = BigInt(`0x${number(publicKey(key), 'n').toString('hex')}`)
    const little = (value: bigint) => reversed(Buffer.from(value.toString(16).padStart(768, '0'), 'hex'))
    // rinv is 2^(2*3072) mod n; m is -1/n mod 2^32.
    const rinv = (1n << 6144n) % modulus
    let inverse = 1n
    for (let n = 0; n < 5; n++) inverse = (inverse * (2n - modulus * inverse)) & 0xff_ff_ff_ffn
    const m = Number((0x1_00_00_00_00n - inverse) & 0xff_ff_ff_ffn)
    const signature = reversed(sign('sha256', bytes, { key: privateKey(key), padding: 6, saltLength: 32 }))
    const data = Buffer.concat([
      Buffer.from([0xe7, 2, 0, 0]),
      sha256(bytes),
      little(modulus),
      u32(65_537),
      little(rinv),
      u32(m),
      signature,
    ])
    return Buffer.concat([data, u32(crc32(data)), Buffer.alloc(16)])
  }
  const signed = (bytes: Buffer, key: string) => Buffer.concat([bytes, pad(block(bytes, key), 4096, 0xff)])
  const boot = signed(image('boot', Buffer.alloc(0)), 'esp')
  const description = Buffer.concat([u32(0xab_cd_54_32), u32(5), Buffer.alloc(248)])
  keep('bootloader-esp.bin', boot)
  keep('app-esp.bin', signed(image('app', description), 'esp'))
  keep('app-esp-other.bin', signed(image('app', description), 'esp-other'))
  keep('esp-digest.bin', sha256(boot.subarray(4096 + 36, 4096 + 812)))
  const entry = (type: number, subtype: number, offset: number, size: number, name: string) =>
    Buffer.concat([Buffer.from([0xaa, 0x50, type, subtype]), u32(offset), u32(size), pad(Buffer.from(name), 16), u32(0)])
  const entries = Buffer.concat([entry(1, 2, 0x9000, 0x6000, 'nvs'), entry(0, 0, 0x1_0000, 0x10_0000, 'factory')])
  const md5 = Buffer.concat([Buffer.from('ebeb', 'hex'), Buffer.alloc(14, 0xff), createHash('md5').update(entries).digest()])
  keep('partitions.bin', pad(Buffer.concat([entries, md5]), 3072, 0xff))
}

/** rpi-eeprom-digest calls `openssl dgst -sign -sha256`; the EEPROM is put together here after rpi-eeprom-config. */
const makeRpi = () => {
  rsaPair('rpi', 2048)
  const key = publicKey('rpi')
  const exponent = pad(reversed(number(key, 'e')), 8)
  const publicBytes = Buffer.concat([reversed(number(key, 'n')), exponent])
  const file = (name: string, bytes: Buffer) => {
    const section = Buffer.concat([
      b32(0x55_aa_f1_1f),
      b32(16 + bytes.length),
      pad(Buffer.from(name), 12),
      Buffer.alloc(4),
      bytes,
    ])
    return pad(section, Math.ceil(section.length / 8) * 8, 0xff)
  }
  const code = body(256, 'bootcode')
  const start = Buffer.concat([
    b32(0x55_aa_f0_0f),
    b32(code.length),
    code,
    file('bootconf.txt', Buffer.from('[all]\nBOOT_UART=1\nSIGNED_BOOT=1\n')),
    file('pubkey.bin', publicBytes),
  ])
  keep('pieeprom.start.bin', start)
  keep('rpi-hash.bin', sha256(publicBytes))
  const boot = pad(body(510, 'boot.img'), 510)
  write('boot.img', Buffer.concat([boot, Buffer.from([0x55, 0xaa]), body(512, 'files')]))
  keep('boot.img')
  run('openssl', 'dgst', '-sign', 'rpi.key', '-sha256', '-out', 'boot.raw', 'boot.img')
  keep(
    'boot.sig',
    Buffer.from(`${sha256(read('boot.img')).toString('hex')}\nts: 1767225600\nrsa2048: ${read('boot.raw').toString('hex')}\n`),
  )
  keep('rpi-config.txt', Buffer.from('uart_2ndstage=1\n#program_pubkey=1\n'))
}

/** Put together here after hss-payload-generator; OpenSSL signs. */
const makePolarfire = () => {
  ecPair('hss', 'secp384r1')
  keepPublic('hss')
  const code = body(800, 'opensbi')
  const [table, zeroed, data] = [1632, 1632 + 80, 1632 + 80 + 48]
  const header = Buffer.alloc(1632)
  header.writeUInt32LE(0xb0_07_c0_de, 0)
  header.writeUInt32LE(1, 4)
  header.writeBigUInt64LE(BigInt(data), 8)
  header.writeBigUInt64LE(BigInt(table), 24)
  header.writeBigUInt64LE(BigInt(zeroed), 32)
  header.write('sample', 1224)
  header.writeBigUInt64LE(BigInt(data + code.length), 1480)
  header.writeUInt32LE(crc32(header), 16)
  const chunk = Buffer.concat([u64(1), u64(data), u64(0x8000_0000), u64(code.length), u32(crc32(code)), u32(0)])
  const whole = Buffer.concat([header, chunk, Buffer.alloc(40), Buffer.alloc(48), code])
  const digest = createHash('sha384').update(whole).digest()
  const signature = sign('sha384', whole, { key: privateKey('hss'), dsaEncoding: 'ieee-p1363' })
  digest.copy(whole, 1488)
  signature.copy(whole, 1536)
  keep('payload-hss.bin', whole)
}

/** Put together here after imgtool; OpenSSL signs. The boot loader contains the key as bootutil's keys.c does. */
const makeMcuboot = () => {
  for (const name of ['mcuboot', 'mcuboot-other']) ecPair(name, 'prime256v1')
  const der = (name: string) => publicKey(name).export({ type: 'spki', format: 'der' })
  keep('mcuboot-loader.bin', Buffer.concat([body(300, 'mcuboot'), der('mcuboot'), body(100, 'end')]))
  keep('mcuboot-hash.bin', sha256(der('mcuboot')))
  const tlv = (type: number, bytes: Buffer) => Buffer.concat([u16(type), u16(bytes.length), bytes])
  const image = (key: string) => {
    const code = body(700, 'zephyr')
    const counter = tlv(0x50, u32(7))
    const guarded = Buffer.concat([u16(0x69_08), u16(4 + counter.length), counter])
    const head = Buffer.concat([
      u32(0x96_f3_b8_3d),
      u32(0),
      u16(32),
      u16(guarded.length),
      u32(code.length),
      u32(0),
      Buffer.from([1, 2]),
      u16(3),
      u32(0),
      u32(0),
    ])
    const signed = Buffer.concat([head, code, guarded])
    const list = [tlv(0x10, sha256(signed)), tlv(0x01, sha256(der(key))), tlv(0x22, sign('sha256', signed, privateKey(key)))]
    const tlvs = Buffer.concat(list)
    return Buffer.concat([signed, u16(0x69_07), u16(4 + tlvs.length), tlvs])
  }
  keep('app-mcuboot.bin', image('mcuboot'))
  keep('app-mcuboot-other.bin', image('mcuboot-other'))
}

const makeJetson = () => {
  const hash = createHash('sha512').update('sample').digest()
  keep('jetson-hash.bin', hash)
  keep(
    'fuses.xml',
    Buffer.from(`<genericfuse MagicId="0x45535546" version="1.0.0">
    <fuse name="PublicKeyHash" size="64" value="0x${hash.toString('hex')}"/>
    <fuse name="BootSecurityInfo" size="4" value="0x1"/>
    <fuse name="SecurityMode" size="4" value="0x1"/>
</genericfuse>\n`),
  )
}

/** tar and zip of Debian; cpio (newc) is put together here. */
const makeArchives = () => {
  write('a.txt', 'text')
  write('b.bin', body(200, 'archive'))
  run('tar', '--format=ustar', '-cf', 'archive.tar', 'a.txt', 'b.bin')
  const entry = (name: string, bytes: Buffer) => {
    const fields = [1, 0o100644, 0, 0, 1, 0, bytes.length, 0, 0, 0, 0, name.length + 1, 0].map((it) =>
      it.toString(16).padStart(8, '0'),
    )
    const head = Buffer.from(`070701${fields.join('')}${name}\0`)
    return Buffer.concat([pad(head, Math.ceil(head.length / 4) * 4), pad(bytes, Math.ceil(bytes.length / 4) * 4)])
  }
  write(
    'archive.cpio',
    Buffer.concat([entry('a.txt', read('a.txt')), entry('b.bin', read('b.bin')), entry('TRAILER!!!', Buffer.alloc(0))]),
  )
  run('zip', '-q', 'archive.zip', 'a.txt', 'b.bin')
  for (const name of ['archive.tar', 'archive.cpio', 'archive.zip']) keep(name)
}

const wanted = process.argv.slice(2)

try {
  for (const make of [
    makeArchives,
    makeFit,
    makeManyFit,
    makeUefi,
    makeUefiChain,
    makeK3,
    makeStm32,
    makeHab,
    makeAhab,
    makeEsp32,
    makeRpi,
    makePolarfire,
    makeMcuboot,
    makeJetson,
  ])
    if (wanted.length === 0 || wanted.includes(make.name)) make()
} finally {
  rmSync(work, { recursive: true })
}
