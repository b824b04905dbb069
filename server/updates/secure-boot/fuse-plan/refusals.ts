import { platformRules } from '../../../../contract/updates/secure-boot/platforms'
import { findReported, readHash, readWord, wordHex } from './bits'
import { type Draft, isSecretName, type PlanContext } from './draft'
import type { PlanOptions } from './facts'

type Refusal = { code: string; text: string }
type Rule = (context: PlanContext, steps: readonly Draft[], options: PlanOptions) => string | null

const numberOf = (hex: string) => Number.parseInt(hex, 16)

/** Why a plan must not be run, whatever the platform. */
const rules: Record<string, Rule> = {
  rollback_lower: ({ bundle, report }, _steps, { lowestRollbackVersion }) => {
    const lowest = Math.max(lowestRollbackVersion, report?.rollback_version ?? 0)
    return (
      (bundle.rollbackVersion < lowest &&
        `The rollback version ${bundle.rollbackVersion} is below ${lowest}: devices that have ${lowest} would not boot these images`) ||
      null
    )
  },
  test_key: ({ bundle }, _steps, { acceptsTestKeys }) => {
    const key = bundle.keys.find(({ is_known_test_key, revoked }) => is_known_test_key && !revoked)
    return key && !acceptsTestKeys
      ? `The private half of key ${key.slot} (${key.fingerprint.slice(0, 16)}…) is public: everybody can sign for this part`
      : null
  },
  key_revoked: ({ bundle: { keys } }) =>
    keys.length > 0 && keys.every(({ revoked }) => revoked) ? 'Every key of the bundle is revoked: nothing would boot' : null,
  key_hash_missing: ({ bundle }, steps) => {
    const { keyHashBytes } = platformRules[bundle.platform]
    const closes = steps.some(({ action }) => action === 'close')
    const keys = steps.findIndex(({ action }) => action === 'verify_key_hash' || action === 'enroll_keys')
    if (keyHashBytes.length > 0 && bundle.keyHash === null) return 'The bundle has no key hash'
    return closes && keys < 0 ? 'The part would be closed without keys: nothing would boot' : null
  },
  key_hash_length: ({ bundle }) => {
    const { keyHashBytes } = platformRules[bundle.platform]
    const bytes = (bundle.keyHash?.length ?? 0) / 2
    return bundle.keyHash !== null && keyHashBytes.length > 0 && !keyHashBytes.includes(bytes)
      ? `The key hash has ${bytes} bytes: this platform takes ${keyHashBytes.join(' or ')}`
      : null
  },
  key_hash_blank: ({ bundle }) => (bundle.keyHash !== null && /^0+$/.test(bundle.keyHash) ? 'The key hash is all zeros' : null),
  other_key_burned: ({ bundle, report }) =>
    report && bundle.keyHash !== null && readHash(bundle.keyHash, report.key_hash) === 'differed'
      ? `The device has another key hash, ${report.key_hash}: it cannot be replaced`
      : null,
  bits_already_set: ({ bundle, report }) => {
    const { words, close_step } = bundle.fuseConfig
    const differing = [...words, ...(close_step?.word ? [close_step.word] : [])].flatMap((word) => {
      const reported = report ? findReported(report, word) : undefined
      return reported !== undefined && readWord(word, reported) === 'differed' ? [{ word, reported }] : []
    })[0]
    return differing
      ? `${differing.word.name} (bank ${differing.word.bank}, word ${differing.word.word}) has ${wordHex(differing.reported)} on the device: a fuse bit cannot be cleared`
      : null
  },
  close_early: ({ bundle: { fuseConfig } }) => {
    const closing = fuseConfig.close_step?.word
    const early = fuseConfig.words.find(
      ({ purpose, bank, word, mask_hex }) =>
        purpose === 'close' ||
        (closing && bank === closing.bank && word === closing.word && (numberOf(mask_hex) & numberOf(closing.mask_hex)) !== 0),
    )
    return early ? `${early.name} closes the part: it belongs to the closing step, which comes last` : null
  },
  secret_word: ({ bundle: { fuseConfig } }) => {
    const secret = fuseConfig.words.find(({ name }) => isSecretName(name))
    return secret ? `${secret.name} is a secret: write it where it was made, and keep it out of the bundle` : null
  },
  debug_lock: ({ bundle: { platform, fuseConfig } }) => {
    const isLocked = fuseConfig.debug_lock !== 'open'
    const hasWord = fuseConfig.words.some(({ purpose }) => purpose === 'debug')
    if (!isLocked && hasWord) return 'Fuse words lock the debug port, and the bundle says that it stays open'
    return isLocked && !hasWord && !['esp32', 'rpi', 'nvidia-jetson'].includes(platform)
      ? 'The bundle locks the debug port, and no fuse word of it does'
      : null
  },
  already_closed: ({ report }, steps) =>
    report?.state === 'closed' && steps.some(({ reading, reversible }) => !reversible && reading === 'incomplete')
      ? 'The device is closed, and not everything of this bundle is written: a closed part takes no more writes'
      : null,
}

export const refusalsOf: (...args: Parameters<Rule>) => Refusal[] = (...args) =>
  Object.entries(rules).flatMap(([code, rule]) => {
    const found = rule(...args)
    return typeof found === 'string' ? [{ code, text: found }] : []
  })
