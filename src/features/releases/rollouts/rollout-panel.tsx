import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { Rollout } from '../../../../contract/updates/rollouts'
import { formatCount } from '../../../lib/amounts'
import { askersOf, describeWait, rolloutDisplay } from '../../../lib/rollout-status'
import { Button } from '../../../ui/button'
import { Chip } from '../../../ui/text/chip'
import { Panel } from '../../../ui/layout/panel'
import { RolloutActions } from './rollout-actions'
import { RolloutDevices } from './rollout-devices'
import { RolloutNotes } from './rollout-notes'
import { WaveScale, WaveTable } from './rollout-waves'

const head = css({ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: '8' })
const quiet = css({ color: 'muted', textStyle: 'body', '& code': { textStyle: 'mono' } })
const scale = css({ display: 'grid', gap: '16', p: '16' })

type Props = { rollout: Rollout; newest: boolean; restartRefused: string | undefined }

/** One rollout: the scale of all waves, the result of each gate, and the devices of a wave. */
export const RolloutPanel = ({ rollout, newest, restartRefused }: Props) => {
  // A running one stays open when it ends; of the ended ones the newest is open.
  const [open, setOpen] = useState(newest || rollout.ended_at === null)
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const { shape, word } = rolloutDisplay(rollout)
  const wait = describeWait({ ...rollout, asked_by: askersOf(rollout) })
  return (
    <section className={css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })}>
      <Panel
        flush
        title={
          <span className={head}>
            <Link
              to="/organizations/$organizationId/projects/$projectId/releases/rollouts/$rolloutId"
              params={{ organizationId, projectId, rolloutId: rollout.id }}
              className={link()}
              data-ink
            >
              {rollout.name}
            </Link>
            <Chip shape={shape}>{word}</Chip>
            <span className={quiet}>
              {formatCount(rollout.counts.targeted)} targeted ·{' '}
              <code title={rollout.preview_hash}>preview {rollout.preview_hash.slice(0, 8)}</code>
              {rollout.approval?.decided_by && ` approved by ${rollout.approval.decided_by}`}
            </span>
          </span>
        }
        aside={<RolloutActions rollout={rollout} restartRefused={restartRefused} />}
      >
        <div className={scale}>
          <RolloutNotes rollout={rollout} next={wait} />
          <WaveScale rollout={rollout} />
        </div>
        <WaveTable rollout={rollout} />
      </Panel>
      {open ? (
        <RolloutDevices rollout={rollout} />
      ) : (
        <span>
          <Button size="small" onClick={() => setOpen(true)}>
            Show devices of {rollout.name}
          </Button>
        </span>
      )}
    </section>
  )
}
