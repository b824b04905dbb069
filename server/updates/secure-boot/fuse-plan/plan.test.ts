import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FusePlan } from '../../../../contract/updates/secure-boot/fuses'
import { is } from 'superstruct'
import { platformIds } from '../../../../contract/updates/secure-boot/platforms'
import { appliedReport, closingWord, completeBundle, planOptions, reportOf } from '../../../../tests/support/fuse-plan'
import type { PlanBundle, PlanTarget } from './facts'
import { makeFusePlan } from './plan'
import '../../../../tests/support/fixed-seed'

const blank: PlanTarget = { kind: 'blank' }
const onDevice = (report: ReturnType<typeof reportOf>): PlanTarget => ({ kind: 'device', name: 'gateway-1', report })
const numberOf = (hex: string) => Number.parseInt(hex, 16)

const codesOf = ({ refusals }: ReturnType<typeof makeFusePlan>) => refusals.map(({ code }) => code)
const plan = (
  platform: PlanBundle['platform'],
  changes: Partial<PlanBundle> = {},
  target: PlanTarget = blank,
  options = planOptions,
) => {
  const { bundle, files } = completeBundle(platform, changes)
  return makeFusePlan(bundle, files, target, options)
}
const fuseConfig = (platform: PlanBundle['platform'], changes: Partial<PlanBundle['fuseConfig']>) => ({
  fuseConfig: { ...completeBundle(platform).bundle.fuseConfig, ...changes },
})

describe('a complete bundle', () => {
  it.each(platformIds)('of %s has a plan without refusals, with its closing step last', (platform) => {
    const made = plan(platform)
    expect(codesOf(made)).toEqual([])
    expect(is(made, FusePlan)).toBe(true)
    expect(made.plan.map(({ n }) => n)).toEqual(made.plan.map((_, at) => at + 1))
    const actions = made.plan.map(({ action }) => action)
    const closes = actions.indexOf('close')
    if (platform === 'u-boot-fit') expect(closes).toBe(-1)
    else expect(actions.slice(closes)).toEqual(['close', 'verify_closed'])
    expect(made.irreversible_count).toBe(made.plan.filter(({ reversible }) => !reversible).length)
  })

  it('asks for a phrase before every step that cannot be undone, and for the name of the bundle before it closes the part', () => {
    for (const platform of platformIds) {
      for (const { reversible, phrase, action } of plan(platform).plan) {
        expect(phrase !== null).toBe(!reversible)
        if (action === 'close' && !reversible) expect(phrase).toBe(`close Gateway's ${platform}`)
      }
    }
  })

  it('of HAB is written by the fuse command of U-Boot in words as the ROM reads them, and by hab_status', () => {
    const { plan: steps } = plan('nxp-hab')
    const keys = steps.find(({ action }) => action === 'write_key_hash')!
    const hash = completeBundle('nxp-hab').bundle.keyHash!
    const first = `0x${hash.slice(0, 8).match(/../g)!.toReversed().join('')}`
    expect(keys.command!.split('\n')).toHaveLength(8)
    expect(keys.command!.split('\n')[0]).toBe(`fuse prog -y 6 0 ${first}`)
    expect(keys.verify_command!.split('\n')[4]).toBe('fuse sense 7 0')
    expect(steps.find(({ action }) => action === 'close')).toMatchObject({
      command: 'fuse prog -y 1 3 0x02000000',
      expected: '0x02000000 of 0x02000000',
      reversible: false,
    })
    expect(steps.at(-1)).toMatchObject({ verify_command: 'hab_status', expected: 'Secure boot enabled' })
  })

  it('of AHAB is closed by ahab_close', () => {
    expect(plan('nxp-ahab').plan.find(({ action }) => action === 'close')).toMatchObject({
      command: 'ahab_close',
      verify_command: 'ahab_status',
      expected: 'OEM closed',
    })
  })

  it('of ESP32 counts the bits of SECURE_VERSION and revokes the keys of other slots', () => {
    const commands = plan('esp32').plan.map(({ command }) => command)
    expect(commands).toContain('espefuse --port "$PORT" --do-not-confirm burn-efuse SECURE_VERSION 0x7')
    expect(commands).toContain('espefuse --port "$PORT" --do-not-confirm burn-efuse SECURE_BOOT_KEY_REVOKE1 1')
    expect(commands).toContain(
      `espefuse --port "$PORT" --do-not-confirm burn-key BLOCK_KEY0 "$BUNDLE"/'key_hash'\\''s file.bin' SECURE_BOOT_DIGEST0`,
    )
  })

  it('of UEFI burns nothing', () => expect(plan('uefi').irreversible_count).toBe(0))

  it('that names no closing step leaves the part open', () => {
    for (const platform of platformIds) {
      const made = plan(platform, fuseConfig(platform, { close_step: null, ...(platform === 'rpi' && { debug_lock: 'open' }) }))
      expect(codesOf(made)).toEqual([])
      expect(made.plan.map(({ action }) => action)).not.toContain('close')
    }
  })
})

describe('a refused plan', () => {
  const { words } = completeBundle('nxp-hab').bundle.fuseConfig
  const secret = { ...closingWord, bank: 2, name: 'SBK_0', purpose: 'feature' as const }
  it.each<[string, ReturnType<typeof makeFusePlan>]>([
    ['rollback_lower', plan('nxp-hab', {}, blank, { ...planOptions, lowestRollbackVersion: 4 })],
    ['rollback_lower', plan('uefi', {}, onDevice(reportOf({ rollback_version: 4 })))],
    ['test_key', plan('rpi', { keys: [{ slot: 0, fingerprint: 'ab', revoked: false, is_known_test_key: true }] })],
    ['key_revoked', plan('ti-k3', { keys: [{ slot: 1, fingerprint: 'ab', revoked: true, is_known_test_key: false }] })],
    ['key_hash_missing', plan('ti-k3', { keyHash: null })],
    ['key_hash_missing', plan('riscv-polarfire', { keyHash: null })],
    ['key_hash_length', plan('rpi', { keyHash: 'ab'.repeat(64) })],
    ['key_hash_blank', plan('rpi', { keyHash: '00'.repeat(32) })],
    ['other_key_burned', plan('rpi', {}, onDevice(reportOf({ key_hash: 'ab'.repeat(32) })))],
    ['bits_already_set', plan('nxp-hab', {}, onDevice(reportOf({ words: [{ bank: 6, word: 0, value_hex: 'ffffffff' }] })))],
    ['close_early', plan('nxp-hab', fuseConfig('nxp-hab', { words: [...words, { ...closingWord, purpose: 'feature' }] }))],
    ['close_early', plan('nxp-hab', fuseConfig('nxp-hab', { words: [...words, closingWord] }))],
    ['secret_word', plan('nxp-hab', fuseConfig('nxp-hab', { words: [...words, secret] }))],
    ['debug_lock', plan('nxp-hab', fuseConfig('nxp-hab', { debug_lock: 'open' }))],
    ['debug_lock', plan('uefi', fuseConfig('uefi', { debug_lock: 'auth' }))],
    ['already_closed', plan('nxp-hab', {}, onDevice(reportOf({ state: 'closed', key_hash: '00'.repeat(32) })))],
    ['key_words_missing', plan('stm32mp', fuseConfig('stm32mp', { words: [], debug_lock: 'open' }))],
    ['key_words_differ', plan('nxp-hab', fuseConfig('nxp-hab', { words: words.toReversed() }))],
    ['close_word_missing', plan('nxp-hab', fuseConfig('nxp-hab', { close_step: { word: null, samples_tested: true } }))],
    ['close_by_command', plan('nxp-ahab', fuseConfig('nxp-ahab', { close_step: { word: closingWord, samples_tested: true } }))],
    ['rollback_range', plan('esp32', { rollbackVersion: 17 })],
    ['debug_auth', plan('esp32', fuseConfig('esp32', { debug_lock: 'auth' }))],
    [
      'words_unsupported',
      plan('nvidia-jetson', fuseConfig('nvidia-jetson', { words: [{ ...closingWord, purpose: 'feature' }] })),
    ],
    ['debug_needs_close', plan('rpi', fuseConfig('rpi', { close_step: null }))],
    ['close_unsupported', plan('u-boot-fit', fuseConfig('u-boot-fit', { close_step: { word: null, samples_tested: true } }))],
  ])('says %s, and its steps have no commands', (code, made) => {
    expect(codesOf(made)).toEqual([code])
    expect(made.plan.flatMap(({ command, verify_command }) => [command, verify_command]).filter(Boolean)).toEqual([])
    expect(made.refusals[0]!.text.length).toBeGreaterThan(20)
  })

  it('is planned with a test key when a person has typed the phrase', () => {
    const keys = [{ slot: 0, fingerprint: 'ab', revoked: false, is_known_test_key: true }]
    expect(codesOf(plan('rpi', { keys }, blank, { ...planOptions, acceptsTestKeys: true }))).toEqual([])
  })
})

describe('the report of a device', () => {
  it.each(platformIds)('of %s that has everything verifies every step', (platform) => {
    const { bundle, files } = completeBundle(platform)
    const made = makeFusePlan(bundle, files, onDevice(appliedReport(bundle)), planOptions)
    expect(codesOf(made)).toEqual([])
    expect(made.plan.map(({ state }) => state)).toEqual(made.plan.map(() => 'verified'))
    expect(made.diff.filter(({ change }) => change !== 'none')).toEqual([])
  })

  it('with a part of the bits leaves the step pending, and the steps after it wait', () => {
    const { bundle } = completeBundle('nxp-hab')
    const words = bundle.fuseConfig.words.map(({ bank, word, value_hex }) => ({ bank, word, value_hex }))
    const steps = plan(
      'nxp-hab',
      {},
      onDevice(reportOf({ key_hash: bundle.keyHash, words: [{ ...words[9]!, value_hex: '3' }] })),
    ).plan
    expect(steps.find(({ action }) => action === 'write_key_hash')!.state).toBe('verified')
    expect(steps.find(({ action }) => action === 'write_rollback')!.state).toBe('blocked')
    expect(steps.find(({ action }) => action === 'check_device')!.state).toBe('pending')
  })

  it('that lacks a value shows it as unknown, and never as written', () => {
    const made = plan('nxp-hab', {}, onDevice({ state: 'unknown', rollback_version: 0 }))
    expect(made.plan.map(({ state }) => state)).not.toContain('verified')
    expect(made.diff.find(({ field }) => field === 'Key hash')!.change).toBe('unknown')
  })

  it('with other bits shows a conflict and a mismatch', () => {
    const made = plan('nxp-hab', {}, onDevice(reportOf({ words: [{ bank: 9, word: 1, value_hex: '8' }] })))
    expect(made.diff.find(({ field }) => field === 'ROLLBACK')).toMatchObject({ reported: '0x00000008', change: 'conflict' })
    expect(made.plan.find(({ word }) => word?.name === 'ROLLBACK')!.state).toBe('mismatch')
  })
})

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((all) => Buffer.from(all).toString('hex'))
const bits = fc.nat(0xff).map((value) => value.toString(16))
const reports = fc.record(
  {
    state: fc.constantFrom('unknown' as const, 'open' as const, 'enforcing' as const, 'closed' as const),
    rollback_version: fc.nat(5),
    key_hash: fc.option(fc.oneof(hex(32), fc.constant('00'.repeat(32)))),
    words: fc.array(fc.record({ bank: fc.constantFrom(1, 6, 7, 9), word: fc.nat(3), value_hex: bits }), { maxLength: 6 }),
  },
  { requiredKeys: ['state', 'rollback_version'] },
)
const cases = fc.record({
  platform: fc.constantFrom(...platformIds),
  rollbackVersion: fc.nat(6),
  lowest: fc.nat(5),
  isTestKey: fc.boolean(),
  isRevoked: fc.boolean(),
  accepts: fc.boolean(),
  hash: fc.option(hex(32), { freq: 3 }),
  closes: fc.boolean(),
  lock: fc.constantFrom('open' as const, 'auth' as const, 'closed' as const),
  further: fc.array(
    fc.record({
      bank: fc.constantFrom(1, 6, 9),
      word: fc.nat(3),
      name: fc.constantFrom('A', 'B', 'SBK'),
      value_hex: bits,
      purpose: fc.constantFrom('feature' as const, 'debug' as const, 'rollback' as const, 'close' as const),
    }),
    { maxLength: 3 },
  ),
  report: fc.option(reports),
})

const reached = { runnable: 0, refused: 0, closed: 0, onDevice: 0 }

it('no plan lowers a rollback version, writes a known test key without the typed phrase, clears a bit, or closes a part before its keys are written and read', () => {
  fc.assert(
    fc.property(cases, ({ platform, report, ...one }) => {
      const { bundle, files } = completeBundle(platform)
      const changed: PlanBundle = {
        ...bundle,
        rollbackVersion: one.rollbackVersion,
        keyHash: one.hash === null ? bundle.keyHash : one.hash,
        keys: [{ slot: 0, fingerprint: 'ab', revoked: one.isRevoked, is_known_test_key: one.isTestKey }, bundle.keys[0]!],
        fuseConfig: {
          close_step: one.closes ? bundle.fuseConfig.close_step : null,
          debug_lock: one.further.length > 0 ? one.lock : bundle.fuseConfig.debug_lock,
          words: [...bundle.fuseConfig.words, ...one.further.map((word) => ({ ...word, mask_hex: 'ff', irreversible: true }))],
        },
      }
      const target = report === null ? blank : onDevice({ ...report, key_hash: report.key_hash ?? null })
      const made = makeFusePlan(changed, files, target, { lowestRollbackVersion: one.lowest, acceptsTestKeys: one.accepts })
      const commands = made.plan.filter(({ command }) => command !== null)
      if (made.refusals.length > 0) {
        reached.refused += 1
        expect(commands).toEqual([])
        return
      }
      reached.runnable += 1
      expect(changed.rollbackVersion).toBeGreaterThanOrEqual(Math.max(one.lowest, report?.rollback_version ?? 0))
      expect(one.isTestKey && !one.isRevoked && !one.accepts).toBe(false)
      const at = (...actions: string[]) => made.plan.findIndex(({ action }) => actions.includes(action))
      const closes = at('close')
      if (closes >= 0) {
        reached.closed += 1
        const isWritten = made.plan.findLastIndex(({ action }) => action === 'write_key_hash' || action === 'enroll_keys')
        const isRead = made.plan.findLastIndex(
          ({ action, verify_command, expected }) =>
            action === 'verify_key_hash' || (action === 'enroll_keys' && verify_command !== null && expected !== null),
        )
        expect(isWritten).toBeGreaterThanOrEqual(0)
        expect(isRead).toBeGreaterThanOrEqual(isWritten)
        expect(closes).toBeGreaterThan(isRead)
        expect(made.plan.slice(closes + 1).filter(({ command, reversible }) => command !== null || !reversible)).toEqual([])
      }
      if (report?.words) {
        reached.onDevice += 1
        for (const { word, action } of made.plan) {
          const reported = report.words.find((other) => word && other.bank === word.bank && other.word === word.word)
          if (!word || !reported) continue
          const cleared = (numberOf(reported.value_hex) & numberOf(word.mask_hex) & ~numberOf(word.value_hex)) >>> 0
          expect({ action, cleared }).toEqual({ action, cleared: 0 })
        }
      }
    }),
    { numRuns: 4000 },
  )
  // Random input that never reached a runnable plan would prove nothing.
  for (const count of Object.values(reached)) expect(count).toBeGreaterThan(50)
})
