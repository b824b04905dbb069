import { useQuery } from '@tanstack/react-query'
import type { Rollout } from '../../../contract/rollouts'
import { releaseQuery } from '../../api/queries/releases'
import { failedDevicesQuery } from '../../api/queries/rollouts'
import { lazyPart } from '../../system/lazy'
import { useSystem } from '../../system/system'

const StartRollout = lazyPart(() => import('./start-rollout-dialog').then((part) => part.StartRolloutDialog))

/** The failed devices of an ended rollout get the release by a new one: the same dialog, with them chosen. */
export const RetryDialog = ({ rollout, onClose }: { rollout: Rollout; onClose: () => void }) => {
  const { api } = useSystem()
  const release = useQuery(releaseQuery(api, rollout.release_id))
  const failed = useQuery(failedDevicesQuery(api, rollout.id))
  if (!release.data) return null
  return (
    <StartRollout release={release.data} again={{ rollout, deviceIds: failed.data, error: failed.error }} onClose={onClose} />
  )
}
