import type { BodyOf, Endpoint } from '../../../contract/core/endpoint'
import { updateDecision } from '../../../contract/updates/device-updates'
import { previewRollBack } from '../../../contract/updates/roll-backs'
import * as rolloutPlans from '../../../contract/updates/rollout-plans'
import * as rolloutSteps from '../../../contract/updates/rollout-steps'
import * as contract from '../../../contract/updates/rollouts'
import { checkReleaseFiles } from '../releases/assets/release-files'
import { requiresApproval } from '../../accounts/projects/requires-approval'
import { toAuthor } from '../../core/http/author'
import { lockRelease } from '../releases/repository'
import { findRollout, lockRollout, type RolloutRow } from './rows/rollout-rows.repository'
import { cancelRollout, haltRollouts } from './steps/cancel'
import type { Api } from '../../core/http/api'
import type { Call } from '../../core/http/call'
import { notFound } from '../../core/http/refuse'
import { route, routeWithPreparation } from '../../core/http/route'
import { formatTimestamp } from '../../core/timestamps'
import { create } from './plan/create'
import { listDevices } from './device-list'
import { decisionFor } from './offer/explain'
import { newerOf } from './plan/newer'
import { type Plan, preview, previewToJson, wavesOf } from './plan/preview'
import { listPreviewDevices } from './plan/preview-devices'
import { findRelease } from './plan/releases.repository'
import { listProjectRollouts, listReleaseRollouts, rolloutById } from './repository'
import { listTimeline } from './rows/timeline.repository'
import { rollBack } from './steps/roll-back'
import { rollBackPreview } from './steps/roll-back-preview'
import { resume } from './steps/resume'
import * as steps from './steps/steps'
import { findNextWait } from './run/waits'

const target = ({ id, name }: Pick<RolloutRow, 'id' | 'name'>) => ({ kind: 'rollout', id, name })

type Reasoned = { reason?: string | undefined; comment?: string | undefined } | undefined

/** Registers one action of a person on a rollout: under its lock, by its chart, with an entry in timeline and audit log. */
const step = <const E extends Endpoint & { path: `/rollouts/:rolloutId/${string}` }>(
  api: Api,
  endpoint: E,
  take: (step: steps.Step, call: Call<E>) => Promise<RolloutRow | Awaited<ReturnType<typeof resume>>>,
  before: (call: Call<E>) => Promise<void> = async () => {},
) =>
  routeWithPreparation(api, endpoint, before, async (call) => {
    const { tx, now, user, audit } = call
    // The path has this parameter and the body is one of these, which a generic endpoint type does not show.
    const { rolloutId } = call.params as unknown as { rolloutId: string }
    const { reason, comment } = (call.body as Reasoned) ?? {}
    const row = (await lockRollout(tx, rolloutId)) ?? notFound()
    const why = reason ?? comment
    const done = await take({ tx, row, now, maker: toAuthor(user), reason: why }, call)
    audit({ target: target(row), reason: why ?? null, changes: 'changes' in done ? done.changes : [] })
    return (await rolloutById(tx, rolloutId)) as never
  })

/** Checks the files before the transaction of an action that offers them. */
const checkFiles = async ({ deps, params }: Pick<Call<typeof rolloutSteps.startRollout>, 'deps' | 'params'>) => {
  const row = await findRollout(deps.db, params.rolloutId)
  if (row) await checkReleaseFiles({ ...deps, haltRollouts }, row.releaseId)
}

const changes = (api: Api) => {
  step(api, rolloutSteps.submitRollout, steps.submit)
  step(api, rolloutSteps.approveRollout, steps.approve, checkFiles)
  step(api, rolloutSteps.denyRollout, steps.deny)
  step(
    api,
    rolloutSteps.startRollout,
    async (one, { body, tx, project }) =>
      steps.begin(one, { early: body.now === true, requiresApproval: await requiresApproval(tx, project) }),
    checkFiles,
  )
  step(api, rolloutSteps.pauseRollout, steps.pause)
  step(api, rolloutSteps.resumeRollout, (one, { body }) => resume(one, body.limits), checkFiles)
  step(api, rolloutSteps.continueRollout, steps.continueWave, checkFiles)
  step(api, rolloutSteps.haltRollout, steps.halt)
  step(api, rolloutSteps.retryFailed, steps.retryFailed)
  step(api, rolloutSteps.cancelRollout, ({ tx, row, now, maker, reason = '' }, { body }) =>
    cancelRollout(tx, row, { reason, mode: body?.mode ?? 'stop_new', by: maker.name, now }),
  )
  step(api, rolloutSteps.rollBackRollout, ({ tx, row, now, maker, reason = '' }, { project }) =>
    rollBack(tx, row, { reason, by: maker.name, settings: project.settings, now }),
  )
}

const reads = (api: Api) => {
  route(api, contract.releaseRollouts, ({ tx, params, query }) => listReleaseRollouts(tx, params.releaseId, query))
  route(api, contract.projectRollouts, ({ tx, project, query, user, grants }) =>
    listProjectRollouts(tx, project.id, { id: user.id, grants }, query),
  )
  route(api, contract.rollout, async ({ tx, project, now, params }) => {
    const row = (await findRollout(tx, params.rolloutId)) ?? notFound()
    return { ...(await rolloutById(tx, row.id)), next_wait: await findNextWait({ tx, project, now }, row) }
  })
  route(api, previewRollBack, async ({ tx, params, now }) => {
    const row = (await findRollout(tx, params.rolloutId)) ?? notFound()
    return rollBackPreview(tx, row, now)
  })
  // The page "why is this device not updating" uses the same decision as the device's request.
  route(api, updateDecision, ({ tx, project, params, query, now }) =>
    decisionFor({ tx, project, now }, params.deviceId, query.release_id),
  )
  route(api, contract.rolloutDevices, async ({ tx, project, now, params, query }) =>
    listDevices({ tx, project, now }, (await findRollout(tx, params.rolloutId)) ?? notFound(), query),
  )
  route(api, contract.rolloutTimeline, async ({ tx, params }) => {
    const rows = await listTimeline(tx, params.rolloutId)
    return { entries: rows.map(({ at, kind, text, wave, by }) => ({ at: formatTimestamp(at), kind, text, wave, by })) }
  })
}

const planOf = ({ target: asked, waves, allow_downgrade }: BodyOf<typeof rolloutPlans.previewRollout>): Plan => ({
  target: asked,
  waves: wavesOf(waves),
  allowsDowngrade: allow_downgrade === true,
})

export const rolloutRoutes = (api: Api): void => {
  const before = ({ deps, params }: Call<typeof contract.createRollout> | Call<typeof rolloutPlans.previewRollout>) =>
    checkReleaseFiles({ ...deps, haltRollouts }, params.releaseId)
  routeWithPreparation(api, rolloutPlans.previewRollout, before, async ({ tx, params, body, now, project }) => {
    const release = (await findRelease(tx, params.releaseId)) ?? notFound()
    const plan = planOf(body)
    const seen = await previewToJson(tx, await preview(tx, release, plan, now))
    return { ...seen, newer: await newerOf(tx, release, plan, now), requires_approval: await requiresApproval(tx, project) }
  })
  route(api, rolloutPlans.previewRolloutDevices, async ({ tx, params, body, query, now }) => {
    const release = (await findRelease(tx, params.releaseId)) ?? notFound()
    return listPreviewDevices(tx, release, { plan: planOf(body), query, now })
  })
  routeWithPreparation(api, contract.createRollout, before, async ({ tx, params, body, now, user, project, audit }) => {
    const release = (await lockRelease(tx, params.releaseId)) ?? notFound()
    const by = { maker: toAuthor(user), now, settings: project.settings, requiresApproval: await requiresApproval(tx, project) }
    const id = await create(tx, release, body, by)
    const made = await rolloutById(tx, id)
    audit({ target: target(made), reason: body.override_reason ?? null })
    return made
  })
  reads(api)
  changes(api)
}
