import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { Rollout } from '../../../../contract/updates/rollouts'
import { selfQuery } from '../../../api/queries/accounts/self'
import { useRefusal } from '../../../system/scope/grants'
import { lazyPart } from '../../../system/page/lazy'
import { MoreMenu } from '../../../system/page/more-menu'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon/icon'
import type { SimpleStep } from './step-text'

const dialogs = () => import('./rollout-dialogs')
const RollBack = lazyPart(() => dialogs().then((part) => part.RollBackDialog))
const Resume = lazyPart(() => dialogs().then((part) => part.ResumeDialog))
const Cancel = lazyPart(() => dialogs().then((part) => part.CancelRolloutDialog))
const Decide = lazyPart(() => dialogs().then((part) => part.DecideDialog))
const Retry = lazyPart(() => dialogs().then((part) => part.RetryDialog))
const Step = lazyPart(() => dialogs().then((part) => part.StepDialog))
const row = css({ display: 'flex', flexWrap: 'wrap', gap: '8' })

type Asked = SimpleStep | 'rollBack' | 'resumeHalted' | 'cancel' | 'approve' | 'deny' | 'startAgain'

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

/** Steps that take something away from devices, behind one button. */
const DangerMenu = ({
  rollout,
  refused,
  ask,
}: {
  rollout: Rollout
  refused: string | undefined
  ask: (asked: Asked) => void
}) => {
  const is = (...states: Rollout['state'][]) => states.includes(rollout.state)
  const entries = [
    ...(is('running', 'waiting_for_user', 'paused') ? [{ value: 'halt' as const, label: 'Halt', danger: true }] : []),
    ...(is(...open) ? [{ value: 'rollBack' as const, label: 'Halt and roll back', danger: true }] : []),
    // After its end, unless it was itself the way back of another one.
    ...(is('completed', 'expired', 'cancelled') && rollout.counts.succeeded > 0 && rollout.created_by
      ? [{ value: 'rollBack' as const, label: 'Roll back', danger: true }]
      : []),
    ...(is('draft', 'pending_approval', 'scheduled', ...open)
      ? [{ value: 'cancel' as const, label: 'Cancel rollout', danger: true }]
      : []),
    ...(is('cancelling') && rollout.counts.running > 0
      ? [{ value: 'cancel' as const, label: 'Stop running updates', danger: true }]
      : []),
  ]
  if (entries.length === 0) return null
  return <MoreMenu label={`More actions for ${rollout.name}`} entries={entries} onChoose={ask} refused={refused} small />
}

/** The possible actions of a rollout, each with its consequence before it; the server decides again with the same chart. */
export const RolloutActions = ({ rollout, restartRefused }: { rollout: Rollout; restartRefused: string | undefined }) => {
  const refused = useRefusal('project:manage_releases')
  const refusedApproval = useApprovalRefusal(rollout)
  const [asked, ask] = useState<Asked>()
  const is = (...states: Rollout['state'][]) => states.includes(rollout.state)
  // A closing dialog does not close one that was opened meanwhile.
  const close = (gone: Asked) => () => ask((now) => (now === gone ? undefined : now))
  const manage = { size: 'small', refused } as const
  const play = <Icon name="play" size={14} />
  const hasFailed = rollout.counts.failed > 0
  return (
    <span className={row}>
      {is('draft') && (
        <Button {...manage} onClick={() => ask(rollout.requires_approval ? 'submit' : 'start')}>
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
        <Button {...manage} icon={play} onClick={() => ask('startNow')}>
          Start now
        </Button>
      )}
      {is('waiting_for_user') && (
        <Button {...manage} onClick={() => ask('continue')}>
          Open next wave
        </Button>
      )}
      {is('running', 'waiting_for_user') && (
        <Button {...manage} icon={<Icon name="pause" size={14} />} onClick={() => ask('pause')}>
          Pause
        </Button>
      )}
      {hasFailed && is(...open) && (
        <Button {...manage} onClick={() => ask('retryFailed')}>
          Retry failed
        </Button>
      )}
      {hasFailed && rollout.ended_at !== null && !is('rolled_back') && (
        <Button size="small" refused={refused ?? restartRefused} onClick={() => ask('startAgain')}>
          Retry failed
        </Button>
      )}
      {is('paused', 'halted') && (
        <Button {...manage} icon={play} onClick={() => ask(is('halted') ? 'resumeHalted' : 'resume')}>
          Resume
        </Button>
      )}
      <DangerMenu rollout={rollout} refused={refused} ask={ask} />
      <Suspense>
        {asked === 'rollBack' ? (
          <RollBack rollout={rollout} onClose={close(asked)} />
        ) : asked === 'resumeHalted' ? (
          <Resume rollout={rollout} onClose={close(asked)} />
        ) : asked === 'cancel' ? (
          <Cancel rollout={rollout} onClose={close(asked)} />
        ) : asked === 'approve' || asked === 'deny' ? (
          <Decide rollout={rollout} decision={asked} onClose={close(asked)} />
        ) : asked === 'startAgain' ? (
          <Retry rollout={rollout} onClose={close(asked)} />
        ) : asked !== undefined ? (
          <Step rollout={rollout} action={asked} onClose={close(asked)} />
        ) : null}
      </Suspense>
    </span>
  )
}
