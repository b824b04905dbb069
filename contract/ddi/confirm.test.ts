import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deviceUpdateMoves, moveOf } from '../../machines/device-update/device-update.machine'
import '../../tests/support/fixed-seed'
import { rebootRules } from '../device/manifest-fields'
import { isEnded, updateEventTypes, updateStates, type UpdateState } from '../device/update-events'
import { clientKinds, confirmations } from './model-client'
import {
  type BootEvidence,
  compareBoot,
  compareVersion,
  endUnconfirmed,
  type Evidence,
  isConfirmedByClient,
  judgeEvidence,
  verifierOf,
  type VersionEvidence,
} from './confirm'

const early: readonly UpdateState[] = ['offered', 'downloading', 'downloaded', 'verifying', 'installing']
const late: readonly UpdateState[] = ['rebooting', 'validating', 'claimed']
const versions: readonly VersionEvidence[] = ['target', 'other', 'none']
const boots: readonly BootEvidence[] = ['new', 'same', 'never']
const restarts = ['after_install', 'if_needed'] as const

type Row = {
  version: VersionEvidence
  boot: BootEvidence
  reboot: readonly Evidence['reboot'][]
  states: readonly UpdateState[]
  result: ReturnType<typeof judgeEvidence>
}
/** Written by hand: the evidence of the device, the states in which it arrives, and the result. */
const rows: Row[] = [
  { version: 'target', boot: 'new', reboot: rebootRules, states: [...early, ...late], result: 'succeeded' },
  { version: 'target', boot: 'never', reboot: rebootRules, states: late, result: 'succeeded' },
  { version: 'target', boot: 'never', reboot: rebootRules, states: early, result: 'wait' },
  { version: 'target', boot: 'same', reboot: restarts, states: [...early, ...late], result: 'wait' },
  { version: 'target', boot: 'same', reboot: ['never'], states: late, result: 'succeeded' },
  { version: 'target', boot: 'same', reboot: ['never'], states: early, result: 'wait' },
  { version: 'other', boot: 'new', reboot: rebootRules, states: late, result: 'rolled_back' },
  { version: 'other', boot: 'new', reboot: rebootRules, states: early, result: 'wait' },
  { version: 'other', boot: 'same', reboot: rebootRules, states: [...early, ...late], result: 'wait' },
  { version: 'other', boot: 'never', reboot: rebootRules, states: [...early, ...late], result: 'wait' },
  { version: 'none', boot: 'new', reboot: rebootRules, states: [...early, ...late], result: 'wait' },
  { version: 'none', boot: 'same', reboot: rebootRules, states: [...early, ...late], result: 'wait' },
  { version: 'none', boot: 'never', reboot: rebootRules, states: [...early, ...late], result: 'wait' },
]

const cases = rows.flatMap(({ version, boot, reboot, states, result }) =>
  reboot.flatMap((rule) => states.map((state) => ({ version, boot, reboot: rule, state, result }))),
)

describe('the evidence of a device', () => {
  it.each(cases)('$version version, $boot boot, reboot $reboot, while $state: $result', ({ result, ...evidence }) =>
    expect(judgeEvidence(evidence)).toBe(result),
  )

  it('has a row for every combination in an open state', () => {
    const keys = cases.map(({ version, boot, reboot, state }) => `${version} ${boot} ${reboot} ${state}`)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys).toHaveLength(versions.length * boots.length * rebootRules.length * (early.length + late.length))
  })

  it('changes no update that was not offered or has ended', () => {
    for (const state of updateStates.filter((one) => !early.includes(one) && !late.includes(one)))
      for (const version of versions)
        for (const boot of boots)
          for (const reboot of rebootRules) expect(judgeEvidence({ state, version, boot, reboot })).toBe('wait')
  })
})

it('the version of a release is its display version or its number', () => {
  const release = { version: 12, displayVersion: '1.0.1' }
  expect(['1.0.1', '12', '1.0.0', '1.0.1 ', '', null].map((text) => compareVersion(text, release))).toEqual([
    'target',
    'target',
    'other',
    'other',
    'none',
    'none',
  ])
  expect(compareVersion('null', { version: 12, displayVersion: null })).toBe('other')
})

it('a report without a boot id counts as the boot of the offer, if that one is known', () => {
  expect([compareBoot('a', 'a'), compareBoot('a', 'b'), compareBoot('a', null)]).toEqual(['same', 'new', 'same'])
  expect([compareBoot(null, 'a'), compareBoot(null, null)]).toEqual(['never', 'never'])
})

it('an update without confirmation was rolled back if another version was reported, else it is not confirmed', () => {
  expect(endUnconfirmed('other')).toEqual({ state: 'rolled_back', code: 'boot_failed' })
  for (const reported of ['target', 'none'] as const)
    expect(endUnconfirmed(reported)).toEqual({ state: 'timed_out', code: 'not_confirmed' })
})

describe('the word of the client', () => {
  const enough = {
    from: 'rebooting' as UpdateState,
    client: { kind: 'swupdate', confirm_by: 'client' } as const,
    bytesServed: 10,
    size: 10,
  }

  it('is enough after the restart with every byte served, if the model says so', () => {
    expect(isConfirmedByClient(enough)).toBe(true)
    expect(isConfirmedByClient({ ...enough, bytesServed: 9 })).toBe(false)
    expect(isConfirmedByClient({ ...enough, bytesServed: null })).toBe(false)
    expect(isConfirmedByClient({ ...enough, bytesServed: 0, size: 0 })).toBe(false)
  })

  it('is never enough before the restart, by version, or for a client that reports success too early', () => {
    for (const from of updateStates.filter((state) => state !== 'rebooting' && state !== 'validating'))
      expect([from, isConfirmedByClient({ ...enough, from })]).toEqual([from, false])
    for (const kind of clientKinds)
      for (const confirm_by of confirmations) {
        const isAllowed = confirm_by === 'client' && (kind === 'swupdate' || kind === 'other')
        expect(isConfirmedByClient({ ...enough, client: { kind, confirm_by } })).toBe(isAllowed)
      }
  })
})

it('no sequence of reports of a DDI client ends in success without the target version of a new boot or after the claim', () => {
  const report = fc.constantFrom(...updateEventTypes.filter((type) => type !== 'update_confirmed'))
  const evidence = fc.record({ version: fc.constantFrom(...versions), boot: fc.constantFrom(...boots) })
  const steps = fc.array(fc.oneof(report, evidence), { maxLength: 30 })
  fc.assert(
    fc.property(steps, fc.constantFrom(...rebootRules), (sequence, reboot) => {
      let state: UpdateState = 'offered'
      for (const step of sequence) {
        const before: UpdateState = state
        if (typeof step === 'string') {
          const move = moveOf(step)
          if (move) state = deviceUpdateMoves.next(state, move)
          if (state === 'succeeded' && before !== 'succeeded') return false
        } else {
          const result = judgeEvidence({ state, reboot, ...step })
          if (result !== 'wait') state = deviceUpdateMoves.next(state, `update.${result}`)
          if (isEnded(before) && state !== before) return before === 'failed' && state === 'rolled_back'
          if (state === 'succeeded' && before !== 'succeeded') {
            const isShown = step.boot === 'new' || late.includes(before)
            if (step.version !== 'target' || !isShown) return false
          }
        }
      }
      return true
    }),
  )
})

it('the manifest is verified by our agent only, a bundle by its client', () => {
  for (const kind of clientKinds) expect(verifierOf('teasel', kind)).toBe('manifest')
  expect(clientKinds.map((kind) => verifierOf('ddi', kind))).toEqual([
    'unknown',
    'swupdate_cms',
    'rauc_cms',
    'mcuboot',
    'unknown',
  ])
})
