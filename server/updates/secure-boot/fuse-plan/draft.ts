import type { FuseWord, PlanStep } from '../../../../contract/updates/secure-boot/fuses'
import type { ArtifactRole } from '../../../../contract/updates/secure-boot/platforms'
import type { SecureBootReport } from '../../../../contract/device/secure-boot-report'
import { type Reading, readFuseWord, readHash, wordHex, worst } from './bits'
import type { PlanBundle, PlanFile } from './facts'

/** A step before its number, its state and its phrase are known. */
export type Draft = Pick<
  PlanStep,
  'action' | 'title' | 'text' | 'reversible' | 'command' | 'verify_command' | 'expected' | 'word'
> & {
  reading: Reading
}

export type PlanContext = {
  bundle: PlanBundle
  files: readonly PlanFile[]
  /** Null for a blank part. */
  report: SecureBootReport | null
}

/** The steps of a platform. `planOf` puts them in the only order that is safe. */
export type PlatformSteps = {
  check?: Draft[]
  install: Draft[]
  /** Ends with the step that reads what the steps before have written. */
  keys: Draft[]
  boot: Draft[]
  revoke?: Draft[]
  rollback?: Draft[]
  features?: Draft[]
  debug?: Draft[]
  close?: Draft[]
  /** What the platform cannot plan, by name. */
  refusals?: { code: string; text: string }[]
  recovery: string
  /** Writing the keys already enforces signatures: the images are booted before. */
  bootsFirst?: boolean
}

/** A word for `sh`. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
/** The path of a file of the bundle, in the folder that the variable BUNDLE names. */
export const pathOf = ({ file_name }: PlanFile): string => `"$BUNDLE"/${quote(file_name)}`

export const lines = (all: readonly string[]): string => all.join('\n')

export const onceOnly = 'This cannot be undone.'

/** `0x00000002 of 0x00000002`: the bits of the mask have this value. */
export const expectedWord = ({ value_hex, mask_hex }: FuseWord): string =>
  /^f{8}$/.test(mask_hex) ? wordHex(value_hex) : `${wordHex(value_hex)} of ${wordHex(mask_hex)}`

export const keyHashOf = ({ bundle }: PlanContext): string => bundle.keyHash ?? ''
export const wordsFor = ({ bundle }: PlanContext, purpose: FuseWord['purpose']): FuseWord[] =>
  bundle.fuseConfig.words.filter((word) => word.purpose === purpose)

const blankReading = (report: SecureBootReport | null): Reading => (report === null ? 'incomplete' : 'unknown')

/** What the device reports of the key hash, by the hash or by its words. */
export const keyReading = (context: PlanContext): Reading => {
  const { report } = context
  if (report === null) return 'incomplete'
  const byHash = readHash(keyHashOf(context), report.key_hash)
  const words = wordsFor(context, 'key_hash')
  return byHash === 'unknown' && words.length > 0 ? worst(words.map((word) => readFuseWord(report, word))) : byHash
}

/** A closed part has been verified before it was closed. */
const closedReading = ({ report }: PlanContext): Reading =>
  report?.state === 'closed' ? 'matched' : report === null || report.state === 'open' ? 'incomplete' : 'unknown'

/** A step that only a person can do or see, or that is over as soon as the part is closed. */
const passedReading = (context: PlanContext): Reading =>
  closedReading(context) === 'matched' ? 'matched' : blankReading(context.report)

const plain = { reversible: true, command: null, verify_command: null, expected: null, word: null } as const

export const checkStep = (context: PlanContext, facts: Partial<Draft> & Pick<Draft, 'title' | 'text'>): Draft => ({
  ...plain,
  action: 'check_device',
  reading: passedReading(context),
  ...facts,
})

const fileLine = ({ file_name, sha256, load_address }: PlanFile) =>
  `${file_name}${load_address === null ? '' : ` at 0x${load_address}`}${sha256 === null ? '' : ` (SHA-256 ${sha256})`}`

const notInstalled: readonly ArtifactRole[] = ['key_hash', 'key_table', 'command_sequence', 'certificate']

export const installStep = (context: PlanContext, how: string): Draft => {
  const stored = context.files.filter(({ role, sha256 }) => sha256 !== null && !notInstalled.includes(role))
  return {
    ...plain,
    action: 'install_images',
    title: 'Install the signed images',
    text: stored.length === 0 ? `${how} The bundle has no stored file yet.` : `${how} Files: ${stored.map(fileLine).join(', ')}.`,
    reading: passedReading(context),
  }
}

export const bootStep = (context: PlanContext, facts: Partial<Draft> & Pick<Draft, 'text'>): Draft => ({
  ...plain,
  action: 'boot_signed',
  title: 'Boot the signed images while the part is open',
  reading: passedReading(context),
  ...facts,
})

export const writeKeyHash = (context: PlanContext, facts: Partial<Draft> & Pick<Draft, 'text'>): Draft => ({
  ...plain,
  action: 'write_key_hash',
  title: 'Write the key hash',
  reversible: false,
  expected: keyHashOf(context),
  reading: keyReading(context),
  ...facts,
})

export const verifyKeyHash = (context: PlanContext, facts: Partial<Draft> & Pick<Draft, 'text'>): Draft => ({
  ...plain,
  action: 'verify_key_hash',
  title: 'Read the key hash back',
  expected: keyHashOf(context),
  reading: keyReading(context),
  ...facts,
})

export const wordStep = (
  context: PlanContext,
  action: Draft['action'],
  word: FuseWord,
  text: string,
  commands: Pick<Draft, 'command' | 'verify_command'>,
): Draft => ({
  ...plain,
  ...commands,
  action,
  title: `Write ${word.name}`,
  text: `${text} Bank ${word.bank}, word ${word.word}: ${expectedWord(word)}. ${onceOnly}`,
  reversible: false,
  expected: expectedWord(word),
  word,
  reading: readFuseWord(context.report, word),
})

export const closeStep = (context: PlanContext, facts: Partial<Draft> & Pick<Draft, 'text'>): Draft => ({
  ...plain,
  action: 'close',
  title: 'Close the part',
  reversible: false,
  reading: closedReading(context),
  ...facts,
})

export const verifyClosed = (context: PlanContext, facts: Partial<Draft> & Pick<Draft, 'text'>): Draft => ({
  ...plain,
  action: 'verify_closed',
  title: 'Check that the part is closed',
  reading: closedReading(context),
  ...facts,
})

/** Names that people give to fuses with a secret value: they are never in a bundle. */
export const isSecretName = (name: string): boolean => /sbk|smek|bmek|oem_?k\d|\bkek\d|private|secret|flash_?enc|hmac/i.test(name)

/** The files that commands of the plan use are those of the bundle. */
export const checkFiles = (context: PlanContext, files: readonly (PlanFile | undefined)[]): Draft[] => {
  const known = files.filter((file) => file !== undefined && file.sha256 !== null) as (PlanFile & { sha256: string })[]
  if (known.length === 0) return []
  return [
    checkStep(context, {
      title: 'Check the files of the bundle',
      text: 'BUNDLE names the folder with the files of the bundle.',
      verify_command: lines(known.map((file) => `sha256sum < ${pathOf(file)} | cut -c1-64`)),
      expected: lines(known.map(({ sha256 }) => sha256)),
    }),
  ]
}

/** Fuse words that a platform has no command for must not be dropped silently. */
export const refuseWords = ({ bundle }: PlanContext, why: string): { code: string; text: string }[] =>
  bundle.fuseConfig.words.length > 0
    ? [{ code: 'words_unsupported', text: `${why}: fuse words of the bundle have no command` }]
    : []
