import { useMutation } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { Rollout } from '../../../contract/rollouts'
import { type RolloutStep, rolloutStepMutation } from '../../api/mutations/rollouts'
import { failureOf } from '../../api/failure'
import { useRefusal } from '../../system/grants'
import { lazyPart } from '../../system/lazy'
import { notify } from '../../system/notify'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'

const RollBack = lazyPart(() => import('./roll-back-dialog').then((part) => part.RollBackDialog))
const row = css({ display: 'flex', flexWrap: 'wrap', gap: '8' })

/** What a person can do about a rollout now; the server decides again by the same chart. */
export const RolloutActions = ({ rollout }: { rollout: Rollout }) => {
  const { api } = useSystem()
  const refused = useRefusal('project:manage_releases')
  const refusedApproval = useRefusal('project:approve_releases')
  const [asking, setAsking] = useState(false)
  const { mutate, isPending } = useMutation({
    ...rolloutStepMutation(api),
    onError: (error) => void notify({ kind: 'error', text: failureOf(error)?.message ?? 'The rollout did not change' }),
  })
  const take = (step: RolloutStep) => mutate({ rolloutId: rollout.id, ...step })
  const is = (...states: Rollout['state'][]) => states.includes(rollout.state)
  return (
    <span className={row}>
      {is('draft') && (
        <Button
          size="small"
          refused={refused}
          disabled={isPending}
          onClick={() => take({ action: rollout.requires_approval ? 'submit' : 'start' })}
        >
          {rollout.requires_approval ? 'Ask for approval' : 'Start'}
        </Button>
      )}
      {is('pending_approval') && (
        <>
          <Button size="small" refused={refusedApproval} disabled={isPending} onClick={() => take({ action: 'approve' })}>
            Approve
          </Button>
          <Button
            size="small"
            variant="dangerOutline"
            refused={refusedApproval}
            disabled={isPending}
            onClick={() => take({ action: 'deny' })}
          >
            Deny
          </Button>
        </>
      )}
      {is('waiting_for_user') && (
        <Button size="small" refused={refused} disabled={isPending} onClick={() => take({ action: 'continue' })}>
          Open next wave
        </Button>
      )}
      {is('running', 'waiting_for_user') && (
        <Button
          size="small"
          icon={<Icon name="pause" size={14} />}
          refused={refused}
          disabled={isPending}
          onClick={() => take({ action: 'pause' })}
        >
          Pause
        </Button>
      )}
      {is('paused', 'halted') && (
        <Button
          size="small"
          icon={<Icon name="play" size={14} />}
          refused={refused}
          disabled={isPending}
          onClick={() => take({ action: 'resume', ...(is('halted') && { reason: 'Resumed in the console after a halt' }) })}
        >
          Resume
        </Button>
      )}
      {is('running', 'waiting_for_user', 'paused', 'halted') && (
        <Button size="small" variant="dangerOutline" refused={refused} onClick={() => setAsking(true)}>
          Halt and roll back
        </Button>
      )}
      {is('completed') && rollout.counts.failed > 0 && (
        <Button size="small" refused={refused} disabled={isPending} onClick={() => take({ action: 'retryFailed' })}>
          Retry failed
        </Button>
      )}
      <Suspense>{asking && <RollBack rollout={rollout} onClose={() => setAsking(false)} />}</Suspense>
    </span>
  )
}
