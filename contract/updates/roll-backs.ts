import { array, enums, type Infer, integer, nullable, string, type } from 'superstruct'
import { endpoint, requires, onObject } from '../core/endpoint'
import { Id } from '../core/shapes'

const sample = array(type({ id: Id, name: string() }))

/** Why a device would keep the release of a rollout that is rolled back. `device`: it accepts no update at all now. */
export const stayReasons = [
  'signed_before',
  'not_listed',
  'no_former_release',
  'former_withdrawn',
  'former_expired',
  'rollback_number',
  'key_not_trusted',
  'device',
] as const
export type StayReason = (typeof stayReasons)[number]

/** What a rollback would do now. Running updates count as if they had finished; `under_way` counts them. */
export const RollBackPreview = type({
  returns: array(
    type({
      release_id: Id,
      release_name: string(),
      version: integer(),
      display_version: nullable(string()),
      count: integer(),
      sample,
    }),
  ),
  stays: array(type({ reason: enums(stayReasons), text: string(), count: integer(), sample })),
  under_way: type({ returning: integer(), staying: integer() }),
  /** Other rollouts that offer the release, or can go on to: the rollback does not stop them. */
  also_offered: array(type({ id: Id, name: string() })),
})
export type RollBackPreview = Infer<typeof RollBackPreview>

export const previewRollBack = endpoint({
  method: 'GET',
  path: '/rollouts/:rolloutId/roll_back',
  summary: 'Show which devices would return to which release if the rollout was rolled back now, and which would stay and why.',
  needs: requires(onObject('rollout', 'rolloutId'), 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: RollBackPreview,
})
