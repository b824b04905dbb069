import type { Rollout } from '../../contract/updates/rollouts'
import { pluralize } from './pluralize'

/** What a retry does to the failed devices of a rollout. */
export const describeRetry = ({ state, counts }: Pick<Rollout, 'state' | 'counts'>): string => {
  const offered =
    state === 'running'
      ? 'offered the release again, with all attempts.'
      : 'queued again, with all attempts. They are offered the release when the rollout is running.'
  return `${pluralize(counts.failed, 'failed device is', 'failed devices are')} ${offered}`
}
