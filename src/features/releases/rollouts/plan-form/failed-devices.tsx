import { useQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import { rolloutQuery } from '../../../../api/queries/updates/rollouts'
import { useSystem } from '../../../../system/system'
import { Button } from '../../../../ui/button'

const row = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8' })

/** The failed devices of an earlier rollout, in addition to those that the other fields select. */
export const FailedDevices = ({ rolloutId, onRemove }: { rolloutId: string; onRemove: () => void }) => {
  const { api } = useSystem()
  const { data: rollout } = useQuery(rolloutQuery(api, rolloutId))
  return (
    <div className={row}>
      <span>All devices that failed in {rollout?.name ?? 'an earlier rollout'}</span>
      <Button size="small" onClick={onRemove}>
        Remove
      </Button>
    </div>
  )
}
