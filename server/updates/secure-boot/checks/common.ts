import type { KeyObject } from 'node:crypto'
import { isFdt } from '../formats/fdt'
import { fitSigner, parseFit, signaturePadding, uncoveredNodes, verifyFitHashes } from '../formats/fit'
import { algorithmOf } from '../formats/public-keys'
import { type ByteRange, hex } from '../formats/reader'
import type { Findings, Part } from './findings'

/** The value of a file with the role `key_hash`: raw bytes, or the same in hex digits. */
export const readKeyHash = async (findings: Findings, lengths: readonly number[]): Promise<Buffer | undefined> => {
  const part = findings.first('key_hash')
  if (!part) return undefined
  const { size } = part.reader
  const bytes = size <= 256 ? await part.reader.bytes(0, size, 'The key hash') : undefined
  const text = bytes?.toString('latin1').trim().replace(/^0x/i, '') ?? ''
  const value = bytes && /^(?:[0-9a-f]{2})+$/i.test(text) && lengths.includes(text.length / 2) ? Buffer.from(text, 'hex') : bytes
  const expected = lengths.join(' or ')
  const texts: [string, string] = [
    `The key hash has ${value?.length} bytes`,
    `The key hash has ${value?.length ?? size} bytes, expected ${expected}`,
  ]
  if (!findings.rule('key_hash_length', value !== undefined && lengths.includes(value.length), texts, part)) return undefined
  findings.describe(part, 'key hash', [{ name: 'Key hash', value: value?.toString('hex') ?? '', offset: 0 }])
  const { keyHash } = findings.bundle
  if (keyHash !== null && value)
    findings.rule(
      'key_hash_bundle',
      keyHash === value.toString('hex'),
      ['The file has the key hash of the bundle', `The file has ${value.toString('hex')}, the bundle has ${keyHash}`],
      part,
    )
  return value
}

export const checkKeyHash = (
  findings: Findings,
  stored: Buffer | undefined,
  computed: Buffer | readonly Buffer[],
  of: string,
  level: 'error' | 'warning' = 'error',
): void => {
  const part = findings.first('key_hash')
  if (!part || !stored) return
  const values = Buffer.isBuffer(computed) ? [computed] : computed
  const texts: [string, string] = [
    `The key hash is that of ${of}`,
    `The key hash is ${stored.toString('hex')}, that of ${of} is ${values.map((it) => it.toString('hex')).join(' or ') || 'missing'}`,
  ]
  findings.rule(
    'key_hash',
    values.some((it) => it.equals(stored)),
    texts,
    part,
    { offset: 0, length: part.reader.size },
    level,
  )
}

/** The version in the file must not be below that of the bundle, which devices already require. */
export const checkRollback = (findings: Findings, part: Part, value: number, name: string, range?: ByteRange): void => {
  const lowest = findings.bundle.rollbackVersion
  const texts: [string, string] = [
    `${name} is ${value}`,
    `${name} is ${value}, lower than the rollback version ${lowest} of the bundle`,
  ]
  findings.rule('rollback_version', value >= lowest, texts, part, range)
}

/** Hashes of the images, and the signatures of the configurations with the given keys. */
export const checkFit = async (
  findings: Findings,
  part: Part,
  keys: readonly KeyObject[],
  isRequired: boolean,
): Promise<void> => {
  const { reader } = part
  const fit = await findings.attempt('fit', part, () => parseFit(reader))
  if (!fit) return
  findings.add(
    'ok',
    'fit_magic',
    `The FIT has ${fit.images.length} images and ${fit.configurations.length} configurations`,
    part,
    { offset: 0, length: 4 },
  )
  findings.describe(part, 'FIT', [
    ...fit.images.map(({ name, type, data, node }) => ({
      name: `Image ${name}`,
      value: `${type ?? 'no type'}, ${data?.length ?? 0} bytes`,
      offset: node.offset,
    })),
    ...fit.configurations.map(({ name, images, node }) => ({
      name: `Configuration ${name}`,
      value: images.join(', '),
      offset: node.offset,
    })),
  ])
  for (const image of fit.images) {
    const results = await findings.attempt('fit_image', part, () => verifyFitHashes(reader, image))
    const range = image.data ?? undefined
    const wrong = results?.findIndex((it) => it === false) ?? -1
    const stored = image.hashes[wrong]
    if (stored)
      findings.add('error', 'fit_hash', `The ${stored.algorithm} hash of ${image.name} does not match its data`, part, range)
    else if (results?.some((it) => it === true))
      findings.add('ok', 'fit_hash', `The hash of ${image.name} matches its data`, part, range)
    else if (results)
      findings.add(
        isRequired ? 'error' : 'warning',
        'fit_hash_missing',
        `${image.name} has no hash that can be verified`,
        part,
        range,
      )
  }
  const level = isRequired ? 'error' : 'warning'
  if (fit.configurations.length === 0)
    findings.add(level, 'fit_signature_missing', 'The FIT has no configurations that could be signed', part)
  for (const configuration of fit.configurations) {
    const range = { offset: configuration.node.offset, length: 4 }
    const results = await Promise.all(
      configuration.signatures.map(async (signature) => ({
        signature,
        missing: uncoveredNodes(fit, configuration, signature),
        key: await fitSigner(reader, fit, signature, keys, await signaturePadding(reader, configuration, signature)),
      })),
    )
    // U-Boot needs one by a key that it has; others may be by keys for other boards.
    const found = results.find(({ key, missing }) => key && missing.length === 0) ?? results.find(({ key }) => key) ?? results[0]
    if (!found) {
      findings.add(
        level,
        'fit_signature_missing',
        `The configuration ${configuration.name} has no signature: its images can be exchanged`,
        part,
        range,
      )
      continue
    }
    const { signature, missing, key } = found
    const place = { offset: signature.offset, length: signature.value.length }
    findings.rule(
      'fit_coverage',
      missing.length === 0,
      [
        `The signature covers the configuration ${configuration.name} and its images`,
        `The signature of ${configuration.name} does not cover ${missing.join(', ')}`,
      ],
      part,
      place,
    )
    findings.signed(part, { algorithm: signature.algorithm, key: key ?? null, verified: key !== undefined })
    if (key)
      findings.add(
        'ok',
        'fit_signature',
        `${configuration.name} is signed with a key of the bundle (${algorithmOf(key)})`,
        part,
        place,
      )
    else if (keys.length > 0)
      findings.add(
        'error',
        'fit_signature',
        `No key of the bundle made the ${signature.algorithm} signature of ${configuration.name}`,
        part,
        place,
      )
    else
      findings.add(
        'warning',
        'fit_key_missing',
        `The bundle has no public key for the ${signature.algorithm} signature of ${configuration.name}`,
        part,
        place,
      )
    findings.checkKey(part, key ?? null, place)
  }
}

/** A FIT, or a file of another format that only its presence is checked of. */
export const checkFitIfFit = async (findings: Findings, part: Part | undefined): Promise<void> => {
  if (!part) return
  if (await isFdt(part.reader)) await checkFit(findings, part, findings.keys, false)
  else {
    const start = part.reader.has(0, 4) ? hex((await part.reader.bytes(0, 4, 'The magic number')).readUInt32BE(), 8) : 'shorter'
    findings.add('error', 'fit_magic', `The magic number is ${start}, expected 0xD00DFEED`, part, { offset: 0, length: 4 })
  }
}
