import { array, boolean, enums, type Infer, integer, literal, nullable, object, refine, string, type } from 'superstruct'
import { boundedList } from '../../core/bounded'
import { boundedInteger, text } from '../../core/rules'
import { maxFuseWords, WordHex } from '../../device/secure-boot-report'

/** What a fuse word is written for. */
export const fusePurposes = ['key_hash', 'key_revoke', 'rollback', 'feature', 'debug', 'close'] as const
export const debugLocks = ['open', 'auth', 'closed'] as const

const bits = (hex: string) => (/^[0-9a-f]{1,8}$/.test(hex) ? Number.parseInt(hex, 16) : 0)

/** A 32 bit word of fuses or OTP; `mask_hex` has the bits that are written. */
export const FuseWord = refine(
  object({
    bank: boundedInteger('Bank', 0, 255),
    word: boundedInteger('Word', 0, 255),
    name: text('Name', { max: 64 }),
    value_hex: WordHex,
    mask_hex: WordHex,
    irreversible: boolean(),
    purpose: enums(fusePurposes),
  }),
  'mask',
  // `>>> 0`: bit operations give signed numbers.
  ({ value_hex, mask_hex }) => (bits(value_hex) & ~bits(mask_hex)) >>> 0 === 0 || 'The mask must cover every bit of the value',
)
export type FuseWord = Infer<typeof FuseWord>

const tooManyWords = `A bundle can have at most ${maxFuseWords} fuse words`
const words = refine(boundedList(FuseWord, maxFuseWords, tooManyWords), 'words', (value) => {
  const places = value.map(({ bank, word, mask_hex }) => ({ place: `${bank}/${word}`, mask: bits(mask_hex) }))
  const twice = places.find(({ place, mask }, n) =>
    places.some((other, m) => m < n && other.place === place && (other.mask & mask) !== 0),
  )
  return !twice || `Word ${twice.place} (bank/word) is written twice`
})

/** The write that closes the part. `word` is null on platforms that close it by a tool or variable instead of a fuse word. */
const CloseStep = type({ word: nullable(FuseWord), samples_tested: literal(true) })
export const FuseConfig = type({ words: array(FuseWord), close_step: nullable(CloseStep), debug_lock: enums(debugLocks) })
export type FuseConfig = Infer<typeof FuseConfig>

export const FuseConfigChange = object({
  words,
  /** To close the part, type the name of the bundle and confirm that samples were tested. */
  close_step: nullable(
    object({
      word: nullable(FuseWord),
      confirm: string(),
      samples_tested: refine(boolean(), 'samples_tested', (value) => value || 'Test samples before you plan to close the part'),
    }),
  ),
  debug_lock: enums(debugLocks),
})
export type FuseConfigChange = Infer<typeof FuseConfigChange>

/** The states of the fuse-step chart. A plan knows the device by its report alone: it has no `confirmed` or `written` step. */
const planStepStates = ['blocked', 'pending', 'confirmed', 'written', 'verified', 'mismatch'] as const
const planActions = [
  'check_device',
  'write_key_hash',
  'verify_key_hash',
  'install_images',
  'boot_signed',
  'revoke_key',
  'write_rollback',
  'write_word',
  'enroll_keys',
  'lock_debug',
  'close',
  'verify_closed',
] as const

/** One step, in the order of `n` from 1. */
export const PlanStep = type({
  n: integer(),
  action: enums(planActions),
  title: string(),
  /** What it does, what cannot be undone, and what to do by hand where there is no command. */
  text: string(),
  reversible: boolean(),
  state: enums(planStepStates),
  /** What a person types before it runs; null for a step that can be undone. */
  phrase: nullable(string()),
  /** One command a line; null for a step without a command. */
  command: nullable(string()),
  /** One command a line; its output is compared with the line of `expected`. */
  verify_command: nullable(string()),
  /** A text that the output contains, or a number such as `0x1 of 0x3`: the value of the bits of the mask. */
  expected: nullable(string()),
  word: nullable(FuseWord),
})
export type PlanStep = Infer<typeof PlanStep>

/** A value that the plan writes, beside what the device reported. `unknown`: the device does not report it. */
export const FuseDifference = type({
  field: string(),
  reported: nullable(string()),
  planned: nullable(string()),
  change: enums(['none', 'write', 'unknown', 'conflict']),
  irreversible: boolean(),
})
export type FuseDifference = Infer<typeof FuseDifference>

/** Why the steps must not be run: `rollback_lower`, `test_key`, `other_key_burned`, `not_ready`, `bits_already_set` … */
const PlanRefusal = type({ code: string(), text: string() })

export const FusePlan = type({
  plan: array(PlanStep),
  diff: array(FuseDifference),
  irreversible_count: integer(),
  /** What a person can still do while the part is open. */
  recovery: string(),
  /** With a refusal, the steps have no commands. */
  refusals: array(PlanRefusal),
})
export type FusePlan = Infer<typeof FusePlan>
