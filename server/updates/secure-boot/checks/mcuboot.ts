import type { KeyObject } from 'node:crypto'
import { findEmbeddedKeys, mcubootKeyHash, parseMcuboot, verifyMcuboot } from '../formats/mcuboot'
import { readPublicKeys } from '../formats/public-keys'
import { hex } from '../formats/reader'
import { checkRollback, readKeyHash } from './common'
import type { Findings, Part } from './findings'

const checkImage = async (findings: Findings, part: Part, keys: readonly KeyObject[]) => {
  const image = await findings.attempt('image', part, () => parseMcuboot(part.reader))
  if (!image) return
  findings.add('ok', 'image_magic', 'The magic number is 0x96F3B83D', part, { offset: 0, length: 4 })
  findings.describe(part, 'MCUboot image', [
    { name: 'Version', value: image.version, offset: 20 },
    { name: 'Load address', value: hex(image.loadAddress, 8), offset: 4 },
    { name: 'Security counter', value: String(image.securityCounter ?? 'none'), offset: null },
    { name: 'Encrypted', value: image.isEncrypted ? 'yes' : 'no', offset: 16 },
  ])
  const { hash, isEncrypted, signatures } = image
  if (!hash) findings.add('error', 'hash_missing', 'The image has no TLV with its hash', part)
  // The hash of an encrypted image is over its plain text.
  const isWhole =
    hash === null || isEncrypted
      ? true
      : findings.rule(
          'hash',
          (await part.reader.digest(hash.algorithm, [image.hashed], 'The image')).equals(hash.value),
          [`The ${hash.algorithm} of the image matches`, `The ${hash.algorithm} of the image does not match`],
          part,
          { offset: hash.offset, length: hash.value.length },
        )
  if (isEncrypted)
    findings.add('warning', 'encrypted', 'The image is encrypted: hash and signature cannot be verified', part, {
      offset: 16,
      length: 4,
    })
  if (image.securityCounter !== null) checkRollback(findings, part, image.securityCounter, 'The security counter')
  else if (findings.bundle.rollbackVersion > 0)
    findings.add(
      'error',
      'security_counter',
      `The image has no security counter, the bundle has the rollback version ${findings.bundle.rollbackVersion}`,
      part,
    )

  const [signature] = signatures
  if (!signature) {
    findings.add('error', 'signature_missing', 'The image has no TLV with a signature', part)
    return
  }
  const range = { offset: signature.offset, length: signature.value.length }
  const { keyHash } = image
  const named = keyHash
    ? keys.find((key) => ['sha256', 'sha384', 'sha512'].some((it) => mcubootKeyHash(key, it).equals(keyHash.value)))
    : undefined
  if (keys.length > 0 && keyHash)
    findings.rule(
      'key',
      named !== undefined,
      ['The boot loader or bundle has the key of the image', 'Neither boot loader nor bundle has the key that the image names'],
      part,
      {
        offset: keyHash.offset,
        length: keyHash.value.length,
      },
    )
  if (keys.length === 0)
    findings.add(
      'warning',
      'key_missing',
      'Neither boot loader nor bundle has a public key: the signature cannot be verified',
      part,
      range,
    )
  const key = named ?? (keyHash ? undefined : keys[0])
  // A changed image breaks hash and signature alike: one finding is enough.
  const valid = key && isWhole && !isEncrypted ? await verifyMcuboot(part.reader, image, signature, key) : undefined
  if (valid === null)
    findings.add(
      'warning',
      'signature_pure',
      'The signature is over the whole image (Ed25519) and cannot be verified in parts',
      part,
      range,
    )
  else if (valid !== undefined)
    findings.rule(
      'signature',
      valid,
      [`The ${signature.name} signature is valid`, `The ${signature.name} signature is not valid`],
      part,
      range,
    )
  findings.signed(part, { algorithm: signature.name, key: key ?? null, verified: valid === true })
  findings.checkKey(part, key ?? null, range)
}

export const checkMcuboot = async (findings: Findings): Promise<void> => {
  const boot = findings.first('first_stage')
  const embedded = (boot && (await findings.attempt('embedded', boot, () => findEmbeddedKeys(boot.reader)))) ?? []
  const inside = embedded.flatMap(({ der, offset }) => readPublicKeys(der).map((key) => ({ key, offset, length: der.length })))
  if (boot) {
    findings.rule('first_stage', boot.reader.size > 0, ['The boot loader is there', 'The boot loader is empty'], boot)
    findings.describe(
      boot,
      'MCUboot boot loader',
      inside.map(({ key, offset }) => ({ name: 'Key hash', value: mcubootKeyHash(key).toString('hex'), offset })),
    )
    for (const { key, ...range } of inside) findings.checkKey(boot, key, range)
  }
  const keys = [...inside.map(({ key }) => key), ...findings.keys]
  for (const part of findings.all('kernel')) await checkImage(findings, part, keys)
  const stored = await readKeyHash(findings, [32])
  const part = findings.first('key_hash')
  if (stored && part && keys.length > 0)
    findings.rule(
      'key_hash',
      keys.some((key) => mcubootKeyHash(key).equals(stored)),
      ['The key hash is that of a key of the bundle', 'The key hash is that of no key of the boot loader or bundle'],
      part,
    )
}
