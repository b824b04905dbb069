import { enums, type Infer, nullable, object, optional } from 'superstruct'
import { boundedList } from '../core/bounded'
import { boundedInteger, pattern } from '../core/rules'
import { Id } from '../core/shapes'

export const maxFuseWords = 256
/** A 32 bit word. */
export const WordHex = pattern('hex', /^[0-9a-f]{1,8}$/, 'Enter 1 to 8 hexadecimal digits')

export const secureBootStates = ['unknown', 'open', 'enforcing', 'closed'] as const
const hashHex = pattern('hex', /^(?:[0-9a-f]{2}){16,64}$/, 'A key hash is 16 to 64 bytes in lower-case hex')

/** What a device reports about its secure boot. Fields that its platform does not show are missing. */
export const SecureBootReport = object({
  state: enums(secureBootStates),
  rollback_version: boundedInteger('Rollback version', 0),
  bundle_id: optional(nullable(Id)),
  /** The hash of the key that is burned; all zeros on a blank part. */
  key_hash: optional(nullable(hashHex)),
  /** The fuse words that it can read. */
  words: optional(
    boundedList(
      object({ bank: boundedInteger('Bank', 0, 255), word: boundedInteger('Word', 0, 255), value_hex: WordHex }),
      maxFuseWords,
      `A device reports at most ${maxFuseWords} fuse words`,
    ),
  ),
})
export type SecureBootReport = Infer<typeof SecureBootReport>
