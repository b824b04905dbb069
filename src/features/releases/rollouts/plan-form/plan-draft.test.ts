import fc from 'fast-check'
import { create } from 'superstruct'
import { expect, it } from 'vitest'
import { defaultGate, Target, type Wave, weekdays } from '../../../../../contract/updates/rollout-plans'
import { NewRollout } from '../../../../../contract/updates/rollouts'
import { checkFields } from '../../../../../contract/core/field-errors'
import { type RolloutPlan, toDraft, toPlan, wavesOf } from './plan-draft'
import '../../../../../tests/support/fixed-seed'

const preview_hash = '0'.repeat(64)

const int = (min: number, max: number) => fc.integer({ min, max })
const some = <T>(one: fc.Arbitrary<T>, maxLength = 5) => fc.uniqueArray(one, { minLength: 1, maxLength })
const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789']
const tag = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 20 })
const id = fc.string({ unit: fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'), minLength: 26, maxLength: 26 })
const words = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...letters, 'ö', '–', '🌱', "'"), minLength, maxLength })
const yes = fc.constant(true)

const target = fc
  .record(
    {
      tags_all: some(tag),
      tags_any: some(tag),
      tags_none: some(tag),
      models: some(words(1, 63)),
      versions: some(int(0, Number.MAX_SAFE_INTEGER)),
      query: words(1, 100),
      device_ids: some(id),
      failed_in: id,
      everything: yes,
      key_trusted: yes,
    },
    { requiredKeys: [] },
  )
  .filter((one) => Target.is(one))

const gate = fc.record(
  {
    min_success_percent: int(0, 100),
    max_failure_percent: int(0, 100),
    min_sample: int(1, 100_000),
    soak_s: int(0, 604_800),
    health_gate: yes,
    then: fc.constantFrom('continue' as const, 'wait_for_user' as const),
  },
  { requiredKeys: ['min_success_percent', 'max_failure_percent', 'min_sample', 'soak_s', 'then'] },
)
const share = (values: number[]) =>
  fc.tuple(...values.map((value) => gate.map((own): Wave => ({ kind: 'percent', value, gate: own }))))
const others = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('tag' as const), value: tag, gate }),
    fc.record({ kind: fc.constant('count' as const), value: int(1, 100_000), gate }),
  ),
  { maxLength: 8 },
)
const waves = fc
  .tuple(fc.uniqueArray(int(1, 99), { maxLength: 8 }), others)
  .chain(([values, rest]) => share([...values.toSorted((a, b) => a - b), 100]).map((shares): Wave[] => [...rest, ...shares]))

const time = fc
  .tuple(int(0, 23), int(0, 59))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`)
const window = fc
  .record({
    days: some(fc.constantFrom(...weekdays), 7),
    from: time,
    to: time,
    zone: fc.constantFrom('device', 'UTC', 'Europe/Berlin'),
  })
  .filter(({ from, to }) => from !== to)
const at = (from: string, to: string) =>
  fc
    .tuple(fc.date({ min: new Date(from), max: new Date(to), noInvalidDate: true }), fc.constantFrom('Z', '+05:30', '-03:00'))
    .map(([date, zone]) => `${date.toISOString().slice(0, 19)}${zone}`)

const plan = fc.record(
  {
    target,
    waves,
    membership: fc.constantFrom('frozen' as const, 'dynamic' as const),
    name: words(1, 256),
    max_concurrent: int(1, 10_000),
    start_rate_per_min: int(1, 1000),
    retries: int(0, 10),
    backoff: fc.record({ first_s: int(1, 1000), factor: int(1, 10), max_s: int(1000, 604_800) }),
    start_at: at('2026-01-01T00:00:00Z', '2030-01-01T00:00:00Z'),
    end_at: at('2031-01-01T00:00:00Z', '2040-01-01T00:00:00Z'),
    window,
    on_failure: fc.constantFrom('halt' as const, 'halt_and_roll_back' as const),
    allow_downgrade: fc.record({ reason: words(10, 200), version: int(0, 1_000_000) }),
    priority: int(0, 100),
    override_reason: words(10, 200),
  },
  { requiredKeys: ['target', 'waves', 'membership', 'on_failure'] },
)

it('a plan that the API accepts is the same after it was shown in the form', () => {
  fc.assert(
    fc.property(plan, (wanted: RolloutPlan) => {
      // The generator makes nothing that the API would refuse or change.
      expect(create({ ...wanted, preview_hash }, NewRollout)).toEqual({ ...wanted, preview_hash })
      expect(toPlan(toDraft(wanted))).toEqual(wanted)
    }),
  )
})

it('a plan without waves is shown with the waves that the API takes then', () => {
  const shown = toPlan(toDraft({ target: { everything: true } }))
  expect(shown).toEqual({
    target: { everything: true },
    waves: wavesOf('careful', 0),
    membership: 'frozen',
    on_failure: 'halt',
  })
})

const draft = toDraft({ target: { everything: true }, waves: wavesOf('once', 0) })
const problemsOf = (changes: Partial<typeof draft>) => {
  const [errors] = checkFields({ ...toPlan({ ...draft, ...changes }), preview_hash }, NewRollout)
  return (errors ?? []).map(({ field, message }) => [field, message])
}
const [wave] = draft.waves
if (!wave) throw new Error('no wave')
const own = { ...draft.window }

it.each([
  ['no target', { everything: false }, [['target', 'Choose which devices']]],
  ['only devices to leave out', { everything: false, tags_none: ['lab'] }, [['target', 'Choose which devices']]],
  ['a word as version', { versions: '20400, two' }, [['target.versions.1', 'Versions must be an integer']]],
  ['a wave without value', { waves: [{ ...wave, value: '' }] }, [['waves.0.value', 'Value is required']]],
  ['a tag wave without tag', { waves: [{ ...wave, kind: 'tag' as const }, wave] }, [['waves.0.value', 'Value is required']]],
  [
    'only a tag wave',
    { waves: [{ ...wave, kind: 'tag' as const, tag: 'canary' }] },
    [['waves', 'Add a wave of 100 % for the devices without these tags']],
  ],
  ['waves that end early', { waves: [{ ...wave, value: '90' }] }, [['waves', 'Waves must rise and end at 100 %']]],
  [
    'a gate that nothing can meet',
    { waves: [{ ...wave, min_success_percent: '101' }] },
    [['waves.0.gate.min_success_percent', 'Minimum success must be between 0 and 100']],
  ],
  ['a window without days', { windowed: true, window: { ...own, days: [] } }, [['window.days', 'Choose at least one day']]],
  [
    'a window that ends as it starts',
    { windowed: true, window: { ...own, to: own.from } },
    [['window.to', 'The window must end at a different time than it starts']],
  ],
  ['an unknown zone', { windowed: true, window: { ...own, zone: 'Mars' } }, [['window.zone', 'This is not a known time zone']]],
  [
    'an end before the start',
    { start_at: '2027-01-02T00:00:00Z', end_at: '2027-01-01T00:00:00Z' },
    [['end_at', 'The end must be after the start']],
  ],
  [
    'a back-off that falls',
    { backoff: { first_s: '60', factor: '2', max_s: '30' } },
    [['backoff.max_s', 'The longest wait must not be below the first']],
  ],
  [
    'a downgrade with a short reason',
    { downgrades: true, downgrade: { reason: 'because', version: '2' } },
    [['allow_downgrade.reason', 'Reason must be at least 10 characters']],
  ],
])('the contract refuses %s with its field and rule', (_, changes, problems) => expect(problemsOf(changes)).toEqual(problems))

it('a hidden part is not sent, and is there again when it is shown', () => {
  const window = { ...own, from: '01:00' }
  const hidden = { ...draft, window, downgrade: { reason: 'The new one fails at night', version: '7' } }
  expect(toPlan(hidden)).toEqual(toPlan(draft))
  expect(toPlan({ ...hidden, windowed: true, downgrades: true })).toMatchObject({
    window,
    allow_downgrade: { reason: 'The new one fails at night', version: 7 },
  })
})

it('the gate of a preset is that of the API, with the chosen soak', () =>
  expect(wavesOf('quick', 600).map(({ value, gate: one }) => [value, one])).toEqual([
    [10, { ...defaultGate, soak_s: 600 }],
    [100, { ...defaultGate, soak_s: 600 }],
  ]))
