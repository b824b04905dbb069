import type { BodyOf } from '../../../../../contract/core/endpoint'
import { defaultGate, type MaintenanceWindow, type Wave, weekdays } from '../../../../../contract/updates/rollout-plans'
import type { createRollout } from '../../../../../contract/updates/rollouts'

/** What a person decides about a rollout: all that the API takes, but the hash of the preview. */
export type RolloutPlan = Omit<NonNullable<BodyOf<typeof createRollout>>, 'preview_hash'>

/** A wave as typed. Value and tag are kept apart, so that another kind loses neither. */
export type WaveDraft = {
  /** Only for the order of the rows. */
  key: number
  kind: Wave['kind']
  value: string
  tag: string
  min_success_percent: string
  max_failure_percent: string
  min_sample: string
  soak_s: string
  health_gate: boolean
  then: Wave['gate']['then']
}

/** The plan as typed: numbers are text until they are validated; empty text leaves the default to the server. */
export type PlanDraft = {
  name: string
  everything: boolean
  tags_all: readonly string[]
  tags_any: readonly string[]
  tags_none: readonly string[]
  models: readonly string[]
  versions: string
  query: string
  device_ids: readonly string[]
  /** The id of a rollout, or empty. */
  failed_in: string
  key_trusted: boolean
  membership: 'frozen' | 'dynamic'
  waves: readonly WaveDraft[]
  max_concurrent: string
  start_rate_per_min: string
  retries: string
  backoff: { first_s: string; factor: string; max_s: string }
  start_at: string
  end_at: string
  windowed: boolean
  window: { days: readonly MaintenanceWindow['days'][number][]; from: string; to: string; zone: string }
  on_failure: 'halt' | 'halt_and_roll_back'
  downgrades: boolean
  downgrade: { reason: string; version: string }
  priority: string
  override_reason: string
}

/** The waves of the quick dialog, in percent. */
const climbs = { careful: [1, 10, 50, 100], quick: [10, 100], once: [100] } as const
export type Climb = keyof typeof climbs

export const wavesOf = (climb: Climb, soakS: number): Wave[] =>
  climbs[climb].map((value) => ({ kind: 'percent', value, gate: { ...defaultGate, soak_s: soakS } }))

const typed = (value: number | null | undefined) => (value == null ? '' : String(value))

/** `key`: one that no other row of the draft has. */
export const toWaveDraft = ({ kind, value, gate }: Wave, key: number): WaveDraft => ({
  key,
  kind,
  value: kind === 'tag' ? '' : String(value),
  tag: kind === 'tag' ? value : '',
  min_success_percent: String(gate.min_success_percent),
  max_failure_percent: String(gate.max_failure_percent),
  min_sample: String(gate.min_sample),
  soak_s: String(gate.soak_s),
  health_gate: gate.health_gate ?? false,
  then: gate.then,
})

const usualWindow = { days: weekdays, from: '22:00', to: '04:00', zone: 'device' }

export const toDraft = (plan: RolloutPlan): PlanDraft => {
  const { target, allow_downgrade: downgrade, backoff, window } = plan
  return {
    name: plan.name ?? '',
    everything: target.everything ?? false,
    tags_all: target.tags_all ?? [],
    tags_any: target.tags_any ?? [],
    tags_none: target.tags_none ?? [],
    models: target.models ?? [],
    versions: (target.versions ?? []).join(', '),
    query: target.query ?? '',
    device_ids: target.device_ids ?? [],
    failed_in: target.failed_in ?? '',
    key_trusted: target.key_trusted ?? false,
    membership: plan.membership ?? 'frozen',
    waves: (plan.waves ?? wavesOf('careful', 0)).map(toWaveDraft),
    max_concurrent: typed(plan.max_concurrent),
    start_rate_per_min: typed(plan.start_rate_per_min),
    retries: typed(plan.retries),
    backoff: { first_s: typed(backoff?.first_s), factor: typed(backoff?.factor), max_s: typed(backoff?.max_s) },
    start_at: plan.start_at ?? '',
    end_at: plan.end_at ?? '',
    windowed: window != null,
    window: window ?? usualWindow,
    on_failure: plan.on_failure ?? 'halt',
    downgrades: downgrade != null,
    downgrade: { reason: downgrade?.reason ?? '', version: typed(downgrade?.version) },
    priority: typed(plan.priority),
    override_reason: plan.override_reason ?? '',
  }
}

const textOf = (value: string) => (value.trim() === '' ? undefined : value)
const numberOf = (value: string) => (value.trim() === '' ? undefined : Number(value))
const listOf = <T>(list: readonly T[]) => (list.length === 0 ? undefined : list)
const isTyped = (part: object) => Object.values(part).some((value) => value !== '')
const given = (fields: object) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const toWave = (wave: WaveDraft) => ({
  kind: wave.kind,
  value: wave.kind === 'tag' ? textOf(wave.tag) : numberOf(wave.value),
  gate: {
    min_success_percent: numberOf(wave.min_success_percent),
    max_failure_percent: numberOf(wave.max_failure_percent),
    min_sample: numberOf(wave.min_sample),
    soak_s: numberOf(wave.soak_s),
    ...(wave.health_gate && { health_gate: true }),
    then: wave.then,
  },
})

const toTarget = (draft: PlanDraft) =>
  given({
    tags_all: listOf(draft.tags_all),
    tags_any: listOf(draft.tags_any),
    tags_none: listOf(draft.tags_none),
    models: listOf(draft.models),
    versions: listOf(
      draft.versions
        .split(/[\s,]+/)
        .filter((version) => version !== '')
        .map(Number),
    ),
    query: textOf(draft.query),
    device_ids: listOf(draft.device_ids),
    failed_in: textOf(draft.failed_in),
    everything: draft.everything || undefined,
    key_trusted: draft.key_trusted || undefined,
  })

/** What the preview depends on, not validated. */
export const toPreviewPlan = (draft: PlanDraft): Record<string, unknown> =>
  given({
    target: toTarget(draft),
    waves: draft.waves.map(toWave),
    membership: draft.membership,
    allow_downgrade: draft.downgrades || undefined,
  })

/** The plan of a draft, not validated: the struct of the contract decides and words what is wrong. */
export const toPlan = (draft: PlanDraft): Record<string, unknown> => {
  const { backoff, downgrade, window } = draft
  return given({
    ...toPreviewPlan(draft),
    name: textOf(draft.name),
    max_concurrent: numberOf(draft.max_concurrent),
    start_rate_per_min: numberOf(draft.start_rate_per_min),
    retries: numberOf(draft.retries),
    backoff: isTyped(backoff)
      ? { first_s: numberOf(backoff.first_s), factor: numberOf(backoff.factor), max_s: numberOf(backoff.max_s) }
      : undefined,
    start_at: textOf(draft.start_at),
    end_at: textOf(draft.end_at),
    window: draft.windowed ? window : undefined,
    on_failure: draft.on_failure,
    allow_downgrade: draft.downgrades ? given({ reason: downgrade.reason, version: numberOf(downgrade.version) }) : undefined,
    priority: numberOf(draft.priority),
    override_reason: textOf(draft.override_reason),
  })
}
