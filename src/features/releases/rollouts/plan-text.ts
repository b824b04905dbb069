import type { Rollout, WaveStatus } from '../../../../contract/updates/rollouts'
import { healthSoakS } from '../../../../contract/updates/rollout-plans'
import { formatCount } from '../../../lib/amounts'
import { formatDuration } from '../../../lib/durations'
import { pluralize } from '../../../lib/pluralize'

/** What a target selects, one text for each field. */
export const describeTarget = (target: Rollout['target']): string[] => {
  const named = (word: string, names: readonly (string | number)[] | undefined) =>
    names && names.length > 0 ? [`${word} ${names.join(', ')}`] : []
  // With `everything` the other fields select nothing.
  const selected = target.everything
    ? ['All compatible devices']
    : [
        ...named('All of the tags', target.tags_all),
        ...named('Any of the tags', target.tags_any),
        ...named('Models', target.models),
        ...named('Installed versions', target.versions),
        ...(target.query === undefined ? [] : [`Name or serial number contains “${target.query}”`]),
        ...(target.device_ids ? [pluralize(target.device_ids.length, 'named device')] : []),
        ...(target.failed_in === undefined ? [] : ['Failed devices of an earlier rollout']),
      ]
  return [
    ...selected,
    ...named('None of the tags', target.tags_none),
    ...(target.key_trusted ? ['Only devices that trust the signing key'] : []),
  ]
}

/** How often a device tries again, and how long it waits before. */
export const describeRetries = ({ retries, backoff }: Pick<Rollout, 'retries' | 'backoff'>): string => {
  if (retries === 0) return 'None'
  const first = `${formatCount(retries)}, the first after ${formatDuration(backoff.first_s)}`
  if (retries === 1) return first
  return backoff.factor === 1
    ? `${first}, each later one as well`
    : `${first}, then each time ${backoff.factor} times longer, at most ${formatDuration(backoff.max_s)}`
}

/** How long a wave soaks, and what follows. */
export const describeSoak = ({ soak_s, health_gate, then }: WaveStatus['gate']): string => {
  const seconds = Math.max(soak_s, health_gate ? healthSoakS : 0)
  return [
    seconds === 0 ? 'None' : formatDuration(seconds),
    ...(health_gate ? ['health gate'] : []),
    ...(then === 'wait_for_user' ? ['then a person'] : []),
  ].join(', ')
}
