import { keepPreviousData, queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { css } from 'styled-system/css'
import type { Release } from '../../../contract/releases'
import { defaultGate, previewRollout, type Target, type Wave } from '../../../contract/rollout-plans'
import { createRolloutMutation, rolloutStepMutation } from '../../api/mutations/rollouts'
import { tagsQuery } from '../../api/queries/tags'
import { formatCount } from '../../lib/amounts'
import { formatBytes } from '../../lib/bytes'
import { readable } from '../../lib/looks'
import { FailureBox } from '../../system/failure-box'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/dialog'
import { SegmentField } from '../../ui/form/choice-field'
import { MultiSelectField, SelectField } from '../../ui/form/select-field'
import { Pairs } from '../../ui/kv'
import { Callout } from '../../ui/notice'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId')
const stack = css({ display: 'grid', gap: '16' })

/** The check that a device does not pass, as what is so with it. */
const leftOut: Partial<Record<string, string>> = {
  lifecycle_active: 'not active',
  updates_enabled: 'updates are off',
  not_quarantined: 'in quarantine',
  hardware_matches: 'other hardware',
  not_already_installed: 'have it already',
  version_newer: 'have a newer one',
  min_version_met: 'too old for it',
  rollback_number_ok: 'may not go back',
  key_trusted: 'do not trust the key',
}

const climbs = { careful: [1, 10, 50, 100], quick: [10, 100], once: [100] } as const
type Climb = keyof typeof climbs
type Whom = 'everything' | 'tagged'

const soaks = [
  { value: '0', label: 'No soak' },
  { value: '600', label: '10 min' },
  { value: '3600', label: '1 h' },
  { value: '86400', label: '24 h' },
] as const
type Soak = (typeof soaks)[number]['value']

const wavesOf = (climb: Climb, soak: Soak): Wave[] =>
  climbs[climb].map((value) => ({ kind: 'percent', value, gate: { ...defaultGate, soak_s: Number(soak) } }))

/** Who gets it, in which waves; what is started is exactly what the preview showed (its hash is sent along). */
export const StartRolloutDialog = ({ release, onClose }: { release: Release; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, root } = useModal('start_rollout', onClose)
  const { projectId } = route.useParams()
  const [whom, setWhom] = useState<Whom>('everything')
  const [tags, setTags] = useState<string[]>([])
  const [climb, setClimb] = useState<Climb>('careful')
  const [soak, setSoak] = useState<Soak>('0')
  const [key] = useState(() => crypto.randomUUID())
  const { data: known = [] } = useQuery(tagsQuery(api, projectId))
  const target: Target = whom === 'everything' ? { everything: true } : { tags_any: tags }
  const plan = { target, waves: wavesOf(climb, soak) }
  const chosen = whom === 'everything' || tags.length > 0
  const preview = useQuery(
    queryOptions({
      queryKey: ['release', release.id, 'preview', plan],
      queryFn: ({ signal }) => api(previewRollout, { releaseId: release.id }, { body: plan, signal }),
      enabled: chosen,
      staleTime: 0,
      placeholderData: keepPreviousData,
    }),
  )
  const create = useMutation(createRolloutMutation(api, release.id))
  const step = useMutation(rolloutStepMutation(api))
  const start = async () => {
    if (!preview.data) return
    const body = { ...plan, preview_hash: preview.data.preview_hash }
    const rollout = await create.mutateAsync({ body, idempotencyKey: `${key}-${preview.data.preview_hash.slice(0, 16)}` })
    await step.mutateAsync({ rolloutId: rollout.id, action: rollout.requires_approval ? 'submit' : 'start' })
    close()
  }
  const failed = create.error ?? step.error ?? preview.error
  const { data } = preview
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title={`Start a rollout of ${release.name}`}
        description="The next wave opens when the one before it has held. Too many failures halt it by themselves."
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              variant="primary"
              busy={create.isPending || step.isPending}
              busyLabel="Starting..."
              disabled={!chosen || !data || data.total === 0}
              onClick={() => void start().catch(() => {})}
            >
              Start rollout
            </Button>
          </>
        }
      >
        <div className={stack}>
          <SegmentField
            label="Devices"
            items={[
              { value: 'everything', label: 'All that fit' },
              { value: 'tagged', label: 'With a tag' },
            ]}
            value={whom}
            onValueChange={setWhom}
          />
          {whom === 'tagged' && (
            <MultiSelectField
              label="Tags"
              required
              items={known.map((tag) => ({ value: tag.name, label: tag.name }))}
              value={tags}
              onValueChange={setTags}
              hint="A device with any of these gets it."
            />
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
          <SelectField label="Soak between waves" items={soaks} value={soak} onValueChange={setSoak} />
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
                {
                  label: 'Trust the signing key',
                  value: `${formatCount(data.key_coverage.trusting)} of ${formatCount(data.key_coverage.total)}`,
                },
                { label: 'To download', value: formatBytes(data.size_bytes_total) },
                ...data.excluded.map((one) => ({
                  label: `Left out: ${leftOut[one.reason] ?? readable(one.reason)}`,
                  value: `${formatCount(one.count)} (${one.sample.map((device) => device.name).join(', ')})`,
                })),
              ]}
            />
          )}
          {data?.total === 0 && chosen && <Callout kind="warning">No device matches this target</Callout>}
          {failed && <FailureBox error={failed} />}
        </div>
      </Dialog.Window>
    </Dialog.Root>
  )
}
