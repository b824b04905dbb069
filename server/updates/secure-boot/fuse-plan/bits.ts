import type { FuseWord } from '../../../../contract/updates/secure-boot/fuses'
import type { SecureBootReport } from '../../../../contract/device/secure-boot-report'
import type { FuseStepMove } from '../../../../machines/secure-boot/fuse-step/fuse-step.machine'

/** What a report says about a value: `unknown` if the device does not report it. */
export type Reading = 'matched' | 'incomplete' | 'differed' | 'unknown'

export const moveOfReading = {
  matched: 'value.matched',
  incomplete: 'value.incomplete',
  differed: 'value.differed',
} as const satisfies Record<Exclude<Reading, 'unknown'>, FuseStepMove>

const numberOf = (hex: string) => Number.parseInt(hex, 16)
export const wordHex = (hex: string): string => `0x${hex.padStart(8, '0')}`

/** A fuse bit only changes from 0 to 1: a bit that is set beside the value can never be cleared. */
export const readWord = ({ value_hex, mask_hex }: Pick<FuseWord, 'value_hex' | 'mask_hex'>, reportedHex: string): Reading => {
  const [value, mask, reported] = [numberOf(value_hex), numberOf(mask_hex), numberOf(reportedHex)]
  if ((reported & mask & ~value) >>> 0 !== 0) return 'differed'
  return (reported & mask) >>> 0 === (value & mask) >>> 0 ? 'matched' : 'incomplete'
}

export const isBlankHash = (hex: string): boolean => /^0*$/.test(hex)

export const readHash = (hash: string, reported: string | null | undefined): Reading => {
  if (reported == null) return 'unknown'
  if (reported === hash) return 'matched'
  return isBlankHash(reported) ? 'incomplete' : 'differed'
}

type ReportedWords = Pick<SecureBootReport, 'words'>

export const findReported = ({ words }: ReportedWords, { bank, word }: Pick<FuseWord, 'bank' | 'word'>): string | undefined =>
  words?.find((one) => one.bank === bank && one.word === word)?.value_hex

/** A blank part: nothing is written, so nothing is unknown. */
export const readFuseWord = (report: ReportedWords | null, word: FuseWord): Reading => {
  if (report === null) return readWord(word, '0')
  const reported = findReported(report, word)
  return reported === undefined ? 'unknown' : readWord(word, reported)
}

/** The reading of several values together: the worst of them. */
export const worst = (readings: readonly Reading[]): Reading =>
  (['differed', 'unknown', 'incomplete'] as const).find((one) => readings.includes(one)) ?? 'matched'
