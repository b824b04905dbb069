import { useMutation, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { Rollout } from '../../../../contract/rollouts'
import { type RolloutStep, rolloutStepMutation } from '../../../api/mutations/rollouts'
import { failureOf } from '../../../api/failure'
import { selfQuery } from '../../../api/queries/self'
import { useRefusal } from '../../../system/grants'
import { lazyPart } from '../../../system/lazy'
import { notify } from '../../../system/notify'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon'

const dialogs = () => import('./rollout-dialogs')
const RollBack = lazyPart(() => dialogs().then((part) => part.RollBackDialog))
const Resume = lazyPart(() => dialogs().then((part) => part.ResumeDialog))
const Cancel = lazyPart(() => dialogs().then((part) => part.CancelRolloutDialog))
const Decide = lazyPart(() => dialogs().then((part) => part.DecideDialog))
const Retry = lazyPart(() => dialogs().then((part) => part.RetryDialog))
const row = css({ display: 'flex', flexWrap: 'wrap', gap: '8' })

type Asked = 'rollBack' | 'resume' | 'cancel' | 'approve' | 'deny' | 'retry'

const open: Rollout['state'][] = ['running', 'waiting_for_user', 'paused', 'halted']

/** Two-person rule: the person who created the rollout or requested approval sees in advance that another person must approve. */
const useApprovalRefusal = (rollout: Rollout) => {
  const { api } = useSystem()
  const refused = useRefusal('project:approve_releases')
  const { data: me } = useQuery(selfQuery(api))
  if (me === undefined) return refused
  if (rollout.created_by?.id === me.id) return 'You created this rollout: another person has to approve or deny it.'
  if (rollout.approval?.asked_by_id === me.id) return 'You asked for approval: another person has to approve or deny it.'
  return refused
}

/** The possible actions of a rollout; the server decides again with the same chart. */
export const RolloutActions = ({ rollout, restartRefused }: { rollout: Rollout; restartRefused: string | undefined }) => {
  const { api } = useSystem()
  const refused = useRefusal('project:manage_releases')
  const refusedApproval = useApprovalRefusal(rollout)
  const [asked, ask] = useState<Asked>()
  const { mutate, isPending } = useMutation({
    ...rolloutStepMutation(api),
    onError: (error) => void notify({ kind: 'error', text: failureOf(error)?.message ?? 'The rollout was not changed' }),
  })
  const take = (step: RolloutStep) => mutate({ rolloutId: rollout.id, ...step })
  const is = (...states: Rollout['state'][]) => states.includes(rollout.state)
  const dialog = { rollout, onClose: () => ask(undefined) }
  const manage = { size: 'small', refused, disabled: isPending } as const
  const hasFailed = rollout.counts.failed > 0
  return (
    <span className={row}>
      {is('draft') && (
        <Button {...manage} onClick={() => take({ action: rollout.requires_approval ? 'submit' : 'start' })}>
          {rollout.requires_approval ? 'Ask for approval' : 'Start'}
        </Button>
      )}
      {is('pending_approval') && (
        <>
          <Button size="small" refused={refusedApproval} onClick={() => ask('approve')}>
            Approve
          </Button>
          <Button size="small" variant="dangerOutline" refused={refusedApproval} onClick={() => ask('deny')}>
            Deny
          </Button>
        </>
      )}
      {is('scheduled') && (
        <Button {...manage} icon={<Icon name="play" size={14} />} onClick={() => take({ action: 'start', now: true })}>
          Start now
        </Button>
      )}
      {is('waiting_for_user') && (
        <Button {...manage} onClick={() => take({ action: 'continue' })}>
          Open next wave
        </Button>
      )}
      {is('running', 'waiting_for_user') && (
        <Button {...manage} icon={<Icon name="pause" size={14} />} onClick={() => take({ action: 'pause' })}>
          Pause
        </Button>
      )}
      {hasFailed && is(...open) && (
        <Button {...manage} onClick={() => take({ action: 'retryFailed' })}>
          Retry failed
        </Button>
      )}
      {hasFailed && rollout.ended_at !== null && !is('rolled_back') && (
        <Button size="small" refused={refused ?? restartRefused} onClick={() => ask('retry')}>
          Retry failed
        </Button>
      )}
      {is('paused', 'halted') && (
        <Button
          {...manage}
          icon={<Icon name="play" size={14} />}
          onClick={() => (is('halted') ? ask('resume') : take({ action: 'resume' }))}
        >
          Resume
        </Button>
      )}
      {is(...open) && (
        <Button size="small" variant="dangerOutline" refused={refused} onClick={() => ask('rollBack')}>
          Halt and roll back
        </Button>
      )}
      {is('draft', 'pending_approval', 'scheduled', ...open) && (
        <Button size="small" variant="dangerOutline" refused={refused} onClick={() => ask('cancel')}>
          Cancel rollout
        </Button>
      )}
      <Suspense>
        {asked === 'rollBack' && <RollBack {...dialog} />}
        {asked === 'resume' && <Resume {...dialog} />}
        {asked === 'cancel' && <Cancel {...dialog} />}
        {(asked === 'approve' || asked === 'deny') && <Decide {...dialog} decision={asked} />}
        {asked === 'retry' && <Retry {...dialog} />}
      </Suspense>
    </span>
  )
}
