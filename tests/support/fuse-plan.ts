import { createHash } from 'node:crypto'
import type { FuseWord } from '../../contract/updates/secure-boot/fuses'
import { type ArtifactRole, type PlatformId, platformRules } from '../../contract/updates/secure-boot/platforms'
import type { SecureBootReport } from '../../contract/device/secure-boot-report'
import type { PlanBundle, PlanFile, PlanOptions } from '../../server/updates/secure-boot/fuse-plan/facts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

export const planOptions: PlanOptions = { lowestRollbackVersion: 0, acceptsTestKeys: false }

/** The bytes of a file of a test bundle. */
export const bytesOf = (bundle: PlanBundle, { role, file_name }: Pick<PlanFile, 'role' | 'file_name'>): Buffer => {
  if (role === 'key_hash') return Buffer.from(bundle.keyHash ?? '', 'hex')
  if (role === 'config') return Buffer.from('<genericfuse><fuse name="PublicKeyHash" size="64"/></genericfuse>\n')
  return Buffer.from(`${role.startsWith('uefi_') ? 'twelve bytes' : ''}bytes of ${file_name}\n`)
}

const word = (facts: Partial<FuseWord> & Pick<FuseWord, 'bank' | 'word' | 'name' | 'purpose'>): FuseWord => ({
  value_hex: 'ffffffff',
  mask_hex: 'ffffffff',
  irreversible: true,
  ...facts,
})

/** The key hash as fuse words: little-endian for HAB and AHAB, big-endian for STM32. */
const hashWords = (hash: string, order: 'little' | 'big'): FuseWord[] =>
  (hash.match(/.{8}/g) ?? []).map((hex, at) =>
    word({
      bank: 6 + Math.floor(at / 4),
      word: at % 4,
      name: `SRK_HASH_${at}`,
      purpose: 'key_hash',
      value_hex: order === 'big' ? hex : hex.match(/../g)!.toReversed().join(''),
    }),
  )

const byWords: readonly PlatformId[] = ['nxp-hab', 'nxp-ahab', 'stm32mp']
const byHand: readonly PlatformId[] = ['ti-k3', 'mcuboot', 'riscv-polarfire']

/** The words besides the key hash that the platform takes. */
const furtherWords = (platform: PlatformId): FuseWord[] =>
  byWords.includes(platform) || byHand.includes(platform)
    ? [
        word({ bank: 9, word: 0, name: 'SRK_REVOKE', purpose: 'key_revoke', value_hex: '1', mask_hex: '1' }),
        word({ bank: 9, word: 1, name: 'ROLLBACK', purpose: 'rollback', value_hex: '7', mask_hex: 'ffff' }),
        word({ bank: 9, word: 2, name: 'DIR_BT_DIS', purpose: 'feature', value_hex: '8000000', mask_hex: '8000000' }),
        word({ bank: 9, word: 2, name: 'JTAG_SMODE', purpose: 'debug', value_hex: 'c00000', mask_hex: 'c00000' }),
      ]
    : []

export const closingWord = word({
  bank: 1,
  word: 3,
  name: 'SEC_CONFIG',
  purpose: 'close',
  value_hex: '2000000',
  mask_hex: '2000000',
})

const filesOf = (roles: readonly ArtifactRole[], bundle: PlanBundle): PlanFile[] =>
  roles.map((role) => {
    const file = { role, file_name: `${role}'s file.bin`, load_address: role === 'fit_image' ? '40000000' : null }
    return { ...file, sha256: createHash('sha256').update(bytesOf(bundle, file)).digest('hex') }
  })

/** A bundle with everything that its platform takes, and the closing step. */
export const completeBundle = (
  platform: PlatformId,
  changes: Partial<PlanBundle> = {},
): { bundle: PlanBundle; files: PlanFile[] } => {
  const { keyHashBytes, required } = platformRules[platform]
  const hash = `${sha256(platform)}${sha256('more')}`.slice(0, (keyHashBytes[0] ?? 32) * 2)
  const keyWords = byWords.includes(platform) ? hashWords(hash, platform === 'stm32mp' ? 'big' : 'little') : []
  const bundle: PlanBundle = {
    name: `Gateway's ${platform}`,
    version: 3,
    platform,
    rollbackVersion: 3,
    keys: [
      { slot: 0, fingerprint: sha256('key 0'), revoked: false, is_known_test_key: false },
      { slot: 1, fingerprint: sha256('key 1'), revoked: true, is_known_test_key: false },
    ],
    keyHash: platform === 'uefi' || platform === 'u-boot-fit' ? null : hash,
    fuseConfig: {
      words: [...keyWords, ...furtherWords(platform)],
      close_step:
        platform === 'u-boot-fit'
          ? null
          : { word: platform === 'nxp-hab' || platform === 'stm32mp' ? closingWord : null, samples_tested: true },
      debug_lock: ['uefi', 'u-boot-fit', 'nvidia-jetson'].includes(platform) ? 'open' : 'closed',
    },
    ...changes,
  }
  return {
    bundle,
    files: filesOf(
      required.map((roles) => roles[0]!),
      bundle,
    ),
  }
}

export const reportOf = (changes: Partial<SecureBootReport> = {}): SecureBootReport => ({
  state: 'open',
  rollback_version: 0,
  key_hash: null,
  words: [],
  ...changes,
})

/** The report of a device that has everything of the bundle. */
export const appliedReport = ({ keyHash, fuseConfig, rollbackVersion }: PlanBundle): SecureBootReport => {
  const merged = new Map<string, { bank: number; word: number; value: number }>()
  for (const one of [...fuseConfig.words, ...(fuseConfig.close_step?.word ? [fuseConfig.close_step.word] : [])]) {
    const place = `${one.bank}/${one.word}`
    const value = ((merged.get(place)?.value ?? 0) | Number.parseInt(one.value_hex, 16)) >>> 0
    merged.set(place, { bank: one.bank, word: one.word, value })
  }
  return {
    state: 'closed',
    rollback_version: rollbackVersion,
    key_hash: keyHash,
    words: [...merged.values()].map(({ bank, word: at, value }) => ({ bank, word: at, value_hex: value.toString(16) })),
  }
}
