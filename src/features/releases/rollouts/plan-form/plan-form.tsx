import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { css } from 'styled-system/css'
import type { Release } from '../../../../../contract/updates/releases'
import { RolloutPlan } from '../../../../../contract/updates/rollout-plans'
import { NewRollout } from '../../../../../contract/updates/rollouts'
import { checkFields } from '../../../../../contract/core/field-errors'
import { failureOf } from '../../../../api/failure'
import { modelCountsQuery } from '../../../../api/queries/fleet/model-counts'
import { projectQuery } from '../../../../api/queries/accounts/projects'
import { rolloutPreviewQuery } from '../../../../api/queries/updates/rollouts'
import { tagsQuery } from '../../../../api/queries/fleet/tags'
import { useBack } from '../../../../system/page/back'
import { BoundForm } from '../../../../system/form/bound-form'
import { FailureBox } from '../../../../system/failure/failure-box'
import { useForm } from '../../../../system/form/form'
import { useRefusal } from '../../../../system/scope/grants'
import { useSystem } from '../../../../system/system'
import { TextField } from '../../../../ui/form/text-field'
import { Callout } from '../../../../ui/layout/notice'
import { Panel, PanelSkeletons } from '../../../../ui/layout/panel'
import { untrustingOf } from '../untrusting'
import { UntrustingDevices } from '../untrusting-devices'
import { startLabel, useStartRollout } from '../use-start-rollout'
import { FailureFields } from './failure-fields'
import { type PlanDraft, toPlan, toPreviewPlan } from './plan-draft'
import { PreviewDevices } from './preview-devices'
import { PreviewFacts } from './preview-facts'
import { PaceFields, ScheduleFields } from './schedule-fields'
import { TargetFields } from './target-fields'
import { useSettled } from './use-settled'
import { WaveFields } from './wave-fields'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId_/rollout')
const rolloutPage = '/organizations/$organizationId/projects/$projectId/releases/rollouts/$rolloutId' as const
const columns = css({
  display: 'grid',
  gap: '24',
  alignItems: 'start',
  gridTemplateColumns: { base: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) minmax(0, 1fr)' },
})
const beside = css({ position: { lg: 'sticky' }, top: { lg: '64' }, display: 'grid', gap: '16', minW: '0' })

// Until the preview is there; the contract's rule for the field is then about the plan alone.
const noHash = '0'.repeat(64)
// A plan that is being typed is previewed after so many milliseconds without a change.
const typingPause = 300

/** Tells the form chart about a change of the draft, which is no control of its own. */
const DraftControl = ({ draft }: { draft: PlanDraft }) => {
  const control = useRef<HTMLInputElement>(null)
  const text = JSON.stringify(draft)
  const told = useRef(text)
  useEffect(() => {
    if (told.current === text) return
    told.current = text
    control.current?.dispatchEvent(new Event('input', { bubbles: true }))
  }, [text])
  return <input ref={control} type="hidden" name="plan" value={text} readOnly />
}

/** Loaded after its page: the fields need more code than the page may load on arrival. */
export const PlanForm = ({ release, start }: { release: Release; start: PlanDraft }) => {
  const { api } = useSystem()
  const { navigate } = useRouter()
  const params = route.useParams()
  const { data: project } = useSuspenseQuery(projectQuery(api, params.projectId))
  const { data: models } = useSuspenseQuery(modelCountsQuery(api, params.projectId))
  const { data: tags } = useSuspenseQuery(tagsQuery(api, params.projectId))
  const forbidden = useRefusal('project:manage_releases')
  const [draft, setDraft] = useState(start)
  const change = (changes: Partial<PlanDraft>) => setDraft((known) => ({ ...known, ...changes }))

  const [problems, wanted] = checkFields(toPreviewPlan(draft), RolloutPlan)
  const settled = useSettled(wanted ?? null, typingPause)
  const isSettled = JSON.stringify(settled) === JSON.stringify(wanted ?? null)
  const preview = useQuery({
    ...rolloutPreviewQuery(api, release.id, settled ?? { target: { everything: true } }),
    enabled: settled !== null,
  })
  const isCurrent = isSettled && !preview.isFetching && !preview.isPlaceholderData
  const untrusting = preview.data && untrustingOf(preview.data)
  const overrides = !draft.key_trusted && untrusting !== undefined && untrusting.count > 0

  const begin = useStartRollout(release.id)
  const startAt = draft.start_at === '' ? undefined : new Date(draft.start_at)
  const [submitLabel, submittingLabel] = startLabel(preview.data, startAt)
  const form = useForm({
    schema: NewRollout,
    read: () => ({
      ...toPlan(draft),
      // An empty reason is refused by its own rule. Without such devices there is none to give.
      override_reason: overrides ? draft.override_reason : undefined,
      preview_hash: preview.data?.preview_hash ?? noHash,
    }),
    save: (body) =>
      begin.start(body).catch((error: unknown) => {
        // The preview is outdated: it is loaded again, and the person decides about the new one.
        if (failureOf(error)?.code === 'preview_stale') void preview.refetch()
        throw error
      }),
    onSaved: ({ id }) => void navigate({ to: rolloutPage, params: { ...params, rolloutId: id }, replace: true }),
  })
  const back = useBack(`/organizations/${params.organizationId}/projects/${params.projectId}/releases/list/${release.id}/status`)
  const errorOf = (name: string) => form.field(name).error
  const part = { draft, onChange: change, errorOf, groupError: form.groupError }
  const loading = problems === undefined && !isCurrent && !preview.error ? 'Wait for the preview of these changes.' : undefined
  return (
    <>
      <div className={columns}>
        <BoundForm
          form={form}
          onCancel={back}
          submitLabel={submitLabel}
          submittingLabel={submittingLabel}
          refused={forbidden ?? loading}
          sticky
        >
          <DraftControl draft={draft} />
          <TextField
            label="Name"
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
            error={errorOf('name')}
            placeholder={`${release.name} #n`}
          />
          <TargetFields {...part} projectId={params.projectId} tags={tags} models={models} />
          {untrusting && untrusting.count > 0 && (
            <UntrustingDevices
              {...untrusting}
              choice={draft.key_trusted ? 'leave_out' : 'include'}
              onChoose={(choice) => change({ key_trusted: choice === 'leave_out' })}
              reason={draft.override_reason}
              onReason={(override_reason) => change({ override_reason })}
              error={errorOf('override_reason')}
            />
          )}
          <WaveFields {...part} tags={tags} />
          <ScheduleFields {...part} />
          <PaceFields {...part} concurrent={project.settings.max_concurrent_updates} />
          <FailureFields {...part} release={release} />
        </BoundForm>
        <div className={beside}>
          <Panel title="Preview">
            {problems !== undefined ? (
              <Callout kind="info">{problems[0]?.message}. The preview follows.</Callout>
            ) : preview.error ? (
              <FailureBox error={preview.error} onRetry={() => void preview.refetch()} />
            ) : preview.data ? (
              <div aria-busy={!isCurrent}>
                <PreviewFacts preview={preview.data} release={release} planned={draft.waves.length} />
              </div>
            ) : (
              <PanelSkeletons />
            )}
          </Panel>
        </div>
      </div>
      {problems === undefined && settled !== null && preview.data && (
        <PreviewDevices {...params} releaseId={release.id} plan={settled} preview={preview.data} />
      )}
    </>
  )
}
