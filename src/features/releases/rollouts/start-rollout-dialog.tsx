import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { Release } from '../../../../contract/updates/releases'
import type { Rollout } from '../../../../contract/updates/rollouts'
import type { Target } from '../../../../contract/updates/rollout-plans'
import { failureOf } from '../../../api/failure'
import { rolloutPreviewQuery } from '../../../api/queries/updates/rollouts'
import { tagsQuery } from '../../../api/queries/fleet/tags'
import { formatCount } from '../../../lib/amounts'
import { formatBytes } from '../../../lib/bytes'
import { ChangeFailure } from '../../../system/failure/change-failure'
import { lazyPart } from '../../../system/page/lazy'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { SegmentField } from '../../../ui/form/choice-field'
import { FieldSkeleton } from '../../../ui/form/field-skeleton'
import { Pairs } from '../../../ui/layout/facts'
import { Callout } from '../../../ui/layout/notice'
import { describeExclusion, describeOverlap } from './plan-form/preview-text'
import { type Climb, wavesOf } from './plan-form/plan-draft'
import { reasonProblem } from '../reason'
import { trustFacts, untrustingOf } from './untrusting'
import { type UntrustingChoice, UntrustingDevices } from './untrusting-devices'
import { startLabel, unansweredText, useStartRollout } from './use-start-rollout'
import { newerFacts } from './newer-devices'

const MultiSelectField = lazyPart(() => import('../../../ui/form/select-field').then((part) => part.MultiSelectField))

const stack = css({ display: 'grid', gap: '16' })

// Devices without the key have their own choice below.
const isToldHere = ({ reason }: { reason: string }) => reason !== 'key_trusted'

type TargetMode = 'everything' | 'tagged' | 'failed'

const soaks = [
  { value: '0', label: 'No soak' },
  { value: '600', label: '10 min' },
  { value: '3600', label: '1 h' },
  { value: '86400', label: '24 h' },
] as const
type Soak = (typeof soaks)[number]['value']

const targetOf = (whom: TargetMode, tags: string[], again: Rollout | undefined): Target => {
  if (whom === 'tagged') return { tags_any: tags }
  return whom === 'failed' && again ? { failed_in: again.id } : { everything: true }
}

/** `again`: the rollout whose failed devices get it again. */
type Props = { release: Release; again?: Rollout; onClose: () => void }

/** Which devices get it, in which waves; exactly the previewed rollout is started (its hash is sent). */
export const StartRolloutDialog = ({ release, again, onClose }: Props) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('start_rollout', onClose)
  // Opened on the page of the release and on that of a rollout.
  const { organizationId = '' } = useParams({ strict: false })
  const [whom, setWhom] = useState<TargetMode>(again ? 'failed' : 'everything')
  const [tags, setTags] = useState<string[]>([])
  const [climb, setClimb] = useState<Climb>('careful')
  const [soak, setSoak] = useState<Soak>('0')
  const { data: known = [] } = useQuery(tagsQuery(api, release.project_id))
  const [untrustingChoice, setUntrustingChoice] = useState<UntrustingChoice>('leave_out')
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState(false)
  const includes = untrustingChoice === 'include'
  const target: Target = { ...targetOf(whom, tags, again), ...(!includes && { key_trusted: true }) }
  const plan = { target, waves: wavesOf(climb, Number(soak)) }
  const chosen = whom !== 'tagged' || tags.length > 0
  const preview = useQuery({ ...rolloutPreviewQuery(api, release.id, plan), enabled: chosen })
  const begin = useStartRollout(release.id)
  const start = async () => {
    if (!preview.data) return
    setTried(true)
    const overrides = includes && untrustingOf(preview.data).count > 0
    if (overrides && reasonProblem(reason) !== undefined) return
    await begin.start({ ...plan, preview_hash: preview.data.preview_hash, ...(overrides && { override_reason: reason.trim() }) })
    close()
  }
  // The preview is outdated: it is loaded again.
  const refresh = (error: unknown) => void (failureOf(error)?.code === 'preview_stale' && preview.refetch())
  const failed = begin.error ?? preview.error
  const { data } = preview
  const [label, busyLabel] = startLabel(data)
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title={again ? `Start ${release.name} again on failed devices` : `Start a rollout of ${release.name}`}
        description="A wave opens when the one before passes its gate. Too many failures halt the rollout."
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button
              variant="primary"
              busy={begin.isPending}
              busyLabel={busyLabel}
              disabled={!chosen || !data || preview.isPlaceholderData || data.total === 0}
              onClick={() => void start().catch(refresh)}
            >
              {label}
            </Button>
          </>
        }
      >
        <div className={stack}>
          <SegmentField
            label="Devices"
            items={[
              ...(again ? [{ value: 'failed' as const, label: `Failed in ${again.name}` }] : []),
              { value: 'everything', label: 'All compatible' },
              { value: 'tagged', label: 'With a tag' },
            ]}
            value={whom}
            onValueChange={setWhom}
          />
          {whom === 'tagged' && (
            <Suspense fallback={<FieldSkeleton />}>
              <MultiSelectField
                label="Tags"
                required
                items={known.map((tag) => ({ value: tag.name, label: tag.name }))}
                value={tags}
                onValueChange={setTags}
                hint="Devices with any of these tags are included."
              />
            </Suspense>
          )}
          <SegmentField
            label="Waves"
            items={[
              { value: 'careful', label: '1, 10, 50, 100 %' },
              { value: 'quick', label: '10, 100 %' },
              { value: 'once', label: 'All at once' },
            ]}
            value={climb}
            onValueChange={setClimb}
          />
          <SegmentField label="Soak between waves" items={soaks} value={soak} onValueChange={setSoak} />
          {data && chosen && (
            <Pairs
              wide
              facts={[
                {
                  label: 'Devices',
                  value:
                    data.total === 0
                      ? '0'
                      : `${formatCount(data.total)}, in waves of ${data.waves.map((wave) => formatCount(wave.count)).join(', ')}`,
                },
                ...trustFacts(data),
                { label: 'To download', value: formatBytes(data.size_bytes_total) },
                ...data.excluded.filter(isToldHere).map((one) => ({
                  label: `Left out: ${describeExclusion(one.reason)}`,
                  value: `${formatCount(one.count)} (${one.sample.map((device) => device.name).join(', ')})`,
                })),
                ...newerFacts(data.newer, release.display_version ?? `v${release.version}`),
              ]}
            />
          )}
          {chosen &&
            data?.overlaps.map((one) => (
              <Callout key={one.rollout_id} kind="info">
                {describeOverlap(one)}
              </Callout>
            ))}
          {data && chosen && untrustingOf(data).count > 0 && (
            <UntrustingDevices
              {...untrustingOf(data)}
              choice={untrustingChoice}
              onChoose={setUntrustingChoice}
              reason={reason}
              onReason={setReason}
              // Only after Start was pressed an empty reason is an error.
              error={tried ? reasonProblem(reason) : undefined}
            />
          )}
          {data?.total === 0 && chosen && (
            <Callout kind="warning">
              {untrustingOf(data).count > 0
                ? 'No device of this target trusts the signing key.'
                : 'No device matches this target'}
            </Callout>
          )}
          {failed && <ChangeFailure error={failed} unanswered={unansweredText} />}
          <Link
            to="/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/rollout"
            params={{ organizationId, projectId: release.project_id, releaseId: release.id }}
            search={{
              climb,
              soak: Number(soak),
              ...(whom === 'tagged' && tags.length > 0 && { tags }),
              ...(whom === 'failed' && again && { again: again.id }),
              ...(includes && { untrusting: true }),
            }}
            onClick={close}
            className={link()}
          >
            Full plan…
          </Link>
        </div>
      </Dialog.Window>
    </Dialog.Root>
  )
}
