import { useQuery } from '@tanstack/react-query'
import type { Rollout } from '../../../../contract/updates/rollouts'
import { releaseQuery } from '../../../api/queries/updates/releases'
import { lazyPart } from '../../../system/page/lazy'
import { useSystem } from '../../../system/system'

const StartRollout = lazyPart(() => import('./start-rollout-dialog').then((part) => part.StartRolloutDialog))

/** Starts a new rollout for the failed devices of an ended one: the same dialog, with these devices selected. */
export const RetryDialog = ({ rollout, onClose }: { rollout: Rollout; onClose: () => void }) => {
  const { api } = useSystem()
  const release = useQuery(releaseQuery(api, rollout.release_id))
  if (!release.data) return null
  return <StartRollout release={release.data} again={rollout} onClose={onClose} />
}
