import { createHash, type KeyObject } from 'node:crypto'
import { verifyRanges } from '../formats/public-keys'
import { parseBootConfig, parseEeprom, parseSignatureFile } from '../formats/raspberry-pi'
import { checkKeyHash, readKeyHash } from './common'
import type { Findings, Part } from './findings'

/** Switches of `config.txt` that write OTP. */
const irreversible: Readonly<Record<string, string>> = {
  program_pubkey: 'burns the hash of the public key: the board then boots only images signed with it',
  revoke_devkey: 'revokes the development key of the ROM',
  program_jtag_lock: 'disables JTAG access',
  program_rpiboot_gpio: 'sets the GPIO for rpiboot',
}

const checkSignatureFile = async (
  findings: Findings,
  part: Part,
  keys: readonly KeyObject[],
  images: readonly { part: Part; sha256: string }[],
) => {
  const file = await findings.attempt('sig', part, () => parseSignatureFile(part.reader))
  if (!file) return
  const image = images.find(({ sha256 }) => sha256 === file.sha256)
  findings.describe(part, 'Raspberry Pi signature', [{ name: 'SHA-256', value: file.sha256, offset: 0 }])
  const of = image?.part.fileName
  if (
    !findings.rule(
      'sig_hash',
      image !== undefined,
      [`The hash is that of ${of}`, 'The hash is that of no file of the bundle'],
      part,
      { offset: 0, length: 64 },
      // Without boot.img, which the completeness names, it may be that of the missing file.
      findings.first('fit_image') ? 'error' : 'warning',
    )
  )
    return
  if (image?.part.role === 'second_stage' && !file.signature) {
    findings.add('ok', 'sig_eeprom', 'The file has the hash of the EEPROM image alone, as update-pieeprom.sh writes it', part)
    return
  }
  if (!file.signature || !image) {
    findings.add('error', 'sig_signature_missing', 'The file has no RSA signature (rsa2048)', part)
    return
  }
  const { value, offset } = file.signature
  let signer: KeyObject | null = null
  for (const key of keys)
    if (
      await verifyRanges({ key, form: 'pkcs1', hash: 'sha256', signature: value }, image.part.reader, [
        { offset: 0, length: image.part.reader.size },
      ])
    )
      signer = key
  const range = { offset, length: 512 }
  if (keys.length === 0) findings.add('warning', 'key_missing', 'The bundle has no public key for the signature', part, range)
  else
    findings.rule(
      'sig_signature',
      signer !== null,
      [`The RSA-2048 signature of ${of} is valid`, `No public key of the bundle made the signature of ${of}`],
      part,
      range,
    )
  findings.signed(image.part, { algorithm: 'rsa-2048', key: signer, verified: signer !== null })
}

export const checkRpi = async (findings: Findings): Promise<void> => {
  const keys = [...findings.keys]
  const eepromPart = findings.first('second_stage')
  const eeprom = eepromPart && (await findings.attempt('eeprom', eepromPart, () => parseEeprom(eepromPart.reader)))
  const hash = await readKeyHash(findings, [32])
  if (eepromPart && eeprom) {
    const { files, publicKey } = eeprom
    findings.add('ok', 'eeprom_magic', `The EEPROM image has ${files.length} files`, eepromPart, { offset: 0, length: 4 })
    findings.describe(
      eepromPart,
      'Raspberry Pi EEPROM',
      files.map(({ name, offset, length }) => ({ name, value: `${length} bytes`, offset })),
    )
    const range = publicKey ? { offset: publicKey.offset, length: 264 } : undefined
    const texts: [string, string] = [
      'pubkey.bin has an RSA key of 2048 bits',
      'The image has no pubkey.bin with an RSA key of 2048 bits',
    ]
    const isKey = publicKey?.key?.asymmetricKeyDetails?.modulusLength === 2048
    findings.rule('eeprom_key', isKey, texts, eepromPart, range)
    if (publicKey && isKey) {
      if (publicKey.key) keys.push(publicKey.key)
      findings.checkKey(eepromPart, publicKey.key, range)
      // That the hash is over these 264 bytes is not in the public documents.
      checkKeyHash(findings, hash, createHash('sha256').update(publicKey.bytes).digest(), 'pubkey.bin in the EEPROM', 'warning')
    }
  }
  const images = await Promise.all(
    findings.all('fit_image', 'second_stage', 'recovery').map(async (part) => ({
      part,
      sha256: (await part.reader.digest('sha256', [{ offset: 0, length: part.reader.size }], 'The image')).toString('hex'),
    })),
  )
  // A certificate is a .sig file, or the public key as PEM.
  const files = findings.all('certificate').filter(({ fileName }) => !/\.(?:pem|der|crt|cer)$/i.test(fileName))
  for (const part of files) await checkSignatureFile(findings, part, keys, images)
  const boot = findings.first('fit_image')
  if (boot) {
    const start = boot.reader.has(510, 2) ? (await boot.reader.bytes(510, 2, 'The boot sector')).readUInt16BE() : 0
    findings.rule(
      'boot_img',
      start === 0x55_aa,
      ['boot.img has a boot sector', 'boot.img has no boot sector (0x55AA at byte 510)'],
      boot,
      { offset: 510, length: 2 },
    )
  }
  const configPart = findings.first('config')
  const config = configPart && (await findings.attempt('config', configPart, () => parseBootConfig(configPart.reader)))
  if (configPart && config) {
    findings.add('ok', 'config', `${config.size} settings`, configPart)
    findings.describe(
      configPart,
      'config.txt',
      [...config].map(([name, { value, offset }]) => ({ name, value, offset })),
    )
    for (const [name, effect] of Object.entries(irreversible)) {
      const setting = config.get(name)
      if (setting && setting.value !== '0')
        findings.add('warning', `irreversible_${name}`, `${name}=${setting.value} ${effect}. This cannot be undone`, configPart, {
          offset: setting.offset,
          length: name.length,
        })
    }
  }
}
