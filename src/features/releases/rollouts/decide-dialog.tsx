import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { Rollout } from '../../../../contract/updates/rollouts'
import { releaseQuery } from '../../../api/queries/updates/releases'
import { rolloutDevicesQuery } from '../../../api/queries/updates/rollouts'
import { pluralize } from '../../../lib/pluralize'
import { formatDate, parseTime } from '../../../lib/dates'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { Pairs } from '../../../ui/layout/facts'
import { TextField } from '../../../ui/form/text-field'
import { Skeleton } from '../../../ui/layout/skeleton'
import { describeDevices, describeFiles } from './decision-facts'
import { StepFailure } from './step-failure'
import { useRolloutStep } from './use-rollout-step'

const describe = ({ start_at, counts: { targeted } }: Rollout, approves: boolean) => {
  if (!approves) return 'No device gets the release. A denied rollout cannot be started; create a new one instead.'
  const start = start_at === null ? null : parseTime(start_at)
  const when = start !== null && start > new Date() ? `at ${formatDate(start)}` : 'at once'
  return `It starts ${when}, for ${pluralize(targeted, 'device')}.`
}

/** What is decided: who asks, the release with its files, and which devices get it, from what they run now. */
const Asked = ({ rollout }: { rollout: Rollout }) => {
  const { api } = useSystem()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const { release_id: releaseId, release_name: name, display_version: display, version, approval, counts } = rollout
  const { data: release } = useQuery(releaseQuery(api, releaseId))
  const { data: pages } = useInfiniteQuery(rolloutDevicesQuery(api, rollout))
  const params = { organizationId, projectId, releaseId }
  const pending = <Skeleton />
  return (
    <Pairs
      facts={[
        { label: 'Asked by', value: approval?.asked_by ?? 'The server' },
        ...(approval?.comment ? [{ label: 'Comment', value: approval.comment }] : []),
        {
          label: 'Release',
          value: (
            <>
              {name} {display ?? `v${version}`} (
              <Link
                to="/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/compare"
                params={params}
                className={link()}
              >
                compare
              </Link>
              )
            </>
          ),
        },
        { label: 'Files', value: release ? describeFiles(release) : pending },
        { label: 'Devices', value: pages ? describeDevices(pages.pages[0]?.devices ?? [], counts.targeted) : pending },
      ]}
    />
  )
}

type Props = { rollout: Rollout; decision: 'approve' | 'deny'; onClose: () => void }

/** The approval or denial of the second person, with its consequence. */
export const DecideDialog = ({ rollout, decision, onClose }: Props) => {
  const { close, cancel, root } = useModal('decide_rollout', onClose)
  const [comment, setComment] = useState('')
  const { take, error, isPending } = useRolloutStep(rollout, close)
  const approves = decision === 'approve'
  const given = comment.trim() === '' ? {} : { comment: comment.trim() }
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={`${approves ? 'Approve' : 'Deny'} ${rollout.name}?`}
        description={describe(rollout, approves)}
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button
              variant={approves ? 'primary' : 'danger'}
              busy={isPending}
              busyLabel={approves ? 'Approving...' : 'Denying...'}
              onClick={() => take({ action: decision, ...given })}
            >
              {approves ? 'Approve' : 'Deny'}
            </Button>
          </>
        }
      >
        <div className={css({ display: 'grid', gap: '16' })}>
          <Asked rollout={rollout} />
          <TextField
            label="Comment"
            value={comment}
            maxLength={500}
            onChange={(event) => setComment(event.target.value)}
            hint="Shown on the rollout and recorded in the audit log."
          />
          <StepFailure error={error} />
        </div>
      </Dialog.Window>
    </Dialog.Root>
  )
}
