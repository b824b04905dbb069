import { Readable } from 'node:stream'
import type { QueryOf } from '../../../contract/core/endpoint'
import * as contract from '../../../contract/updates/secure-boot/fuse-plan'
import { pathOf } from '../../../contract/core/endpoint'
import type { FusePlan } from '../../../contract/updates/secure-boot/fuses'
import { secureBootStates, type SecureBootReport } from '../../../contract/device/secure-boot-report'
import { bundleMoves } from '../../../machines/secure-boot/secure-boot.machine'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { attachment } from '../../core/http/attachment'
import { rangesOf } from '../../core/http/range'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { isSignedLink, signLink } from '../../core/http/signed-link'
import { formatTimestamp } from '../../core/timestamps'
import type { DeviceRow } from '../../fleet/devices/repository'
import { findDeviceOfProject } from './applied.repository'
import { listArtifacts } from './artifacts.repository'
import { makeFusePlan } from './fuse-plan/plan'
import { writeFuseScript } from './fuse-plan/script'
import { findKeysRevokedSince } from './keys'
import { toBundleFacts } from './read'
import { type BundleRow, findBundle, highestRollbackVersion } from './repository'
import { layOutTar, tarBytes } from './tar'
import { artifactToJson } from './to-json'

type Query = NonNullable<QueryOf<typeof contract.fusePlan>>

const reportOf = (device: DeviceRow): SecureBootReport => ({
  state: secureBootStates.find((state) => state === device.secureBootState) ?? 'unknown',
  rollback_version: device.rollbackVersion ?? 0,
  ...(device.secureBootBundleId !== null && { bundle_id: device.secureBootBundleId }),
  ...(device.secureBootKeyHash !== null && { key_hash: device.secureBootKeyHash }),
  ...(device.fuseWords && { words: device.fuseWords }),
})

const targetOf = async (tx: Tx, bundle: BundleRow, { device_id, assume }: Query) => {
  if ((device_id === undefined) === (assume === undefined))
    return refuseField('device_id', 'required', 'Choose a device, or plan for a blank part')
  if (device_id === undefined) return { kind: 'blank' } as const
  const device = await findDeviceOfProject(tx, bundle.projectId, device_id)
  if (!device) return refuseField('device_id', 'not_listed', 'The project has no such device')
  if (!bundle.hardwareModels.includes(device.hardwareModel))
    return refuseField('device_id', 'other_model', `The bundle is not for the model ${device.hardwareModel}`)
  return { kind: 'device', name: device.name, report: reportOf(device) } as const
}

type Refusal = FusePlan['refusals'][number]

/** Why the bundle itself must not be written, whatever its plan says. */
const bundleRefusals = async (tx: Tx, bundle: BundleRow): Promise<Refusal[]> => {
  const refusals: Refusal[] = []
  if (!bundleMoves.hasTag(bundle.state, 'usable'))
    refusals.push({
      code: 'not_ready',
      text: `The bundle is ${bundle.state.replace('_', ' ')}: only a checked one is written`,
    })
  for (const { slot } of await findKeysRevokedSince(tx, bundle))
    refusals.push({
      code: 'key_revoked',
      text: `The signing key of slot ${slot} was revoked after the bundle was checked: ${
        bundleMoves.canMove(bundle.state, 'check.started') ? 'check it again' : 'create a new bundle'
      }`,
    })
  return refusals
}

/** The steps are shown, and have no commands. */
const refusePlan = (refusals: readonly Refusal[], plan: FusePlan): FusePlan => ({
  ...plan,
  plan: plan.plan.map((step) => ({ ...step, command: null, verify_command: null })),
  refusals: [...refusals, ...plan.refusals],
})

const planOf = async (tx: Tx, bundle: BundleRow, query: Query) => {
  const target = await targetOf(tx, bundle, query)
  const files = (await listArtifacts(tx, [bundle.id])).map(artifactToJson)
  const lowestRollbackVersion = await highestRollbackVersion(tx, { ...bundle, except: bundle.id })
  const options = { lowestRollbackVersion, acceptsTestKeys: query.test_keys === contract.testKeyPhrase }
  const facts = toBundleFacts(bundle)
  const plan = makeFusePlan(facts, files, target, options)
  const refusals = await bundleRefusals(tx, bundle)
  return { facts, target, plan: refusals.length === 0 ? plan : refusePlan(refusals, plan) }
}

const bundleOf = async (tx: Tx, id: string): Promise<BundleRow> => (await findBundle(tx, id)) ?? notFound()

const requireNotRevoked = ({ state }: BundleRow) => {
  if (state === 'revoked')
    refuse(409, 'revoked', { message: 'The bundle is revoked: it can no longer be downloaded', about: { state } })
}

const auditTarget = ({ id, name }: BundleRow) => ({ kind: 'artifact_bundle', id, name })
const subjectOf = (bundleId: string) => `bundle ${bundleId}`

const downloads = (api: Api) => {
  route(api, contract.bundleLink, async ({ tx, deps, params, now, audit }) => {
    const bundle = await bundleOf(tx, params.bundleId)
    requireNotRevoked(bundle)
    audit({ target: auditTarget(bundle) })
    const { query, expiresAt } = await signLink(tx, subjectOf(bundle.id), now)
    const path = pathOf(contract.downloadBundle.path, { bundleId: bundle.id })
    return { url: `${deps.config.urls.api}${path}${query}`, expires_at: formatTimestamp(expiresAt) }
  })

  route(api, contract.downloadBundle, async ({ tx, deps, params, query, now, request, reply }) => {
    if (!(await isSignedLink(tx, subjectOf(params.bundleId), query, now))) return notFound()
    const bundle = await bundleOf(tx, params.bundleId)
    requireNotRevoked(bundle)
    const files = (await listArtifacts(tx, [bundle.id])).filter(({ state }) => state === 'ready')
    const tar = layOutTar(bundle, files)
    const condition = request.headers['if-range']
    // F-10: a range of a changed bundle would be worse than the whole current one. One range is enough to resume.
    const asked = condition === undefined || condition === tar.etag ? rangesOf(request.headers.range, tar.size) : null
    if (asked === 'unsatisfiable')
      return refuse(416, 'range', {
        message: 'The range is outside the file',
        headers: { 'Content-Range': `bytes */${tar.size}` },
      })
    const part = asked?.length === 1 ? asked[0] : { start: 0, end: tar.size - 1 }
    reply.headers({
      ETag: tar.etag,
      'Accept-Ranges': 'bytes',
      'Content-Type': 'application/x-tar',
      'Content-Disposition': attachment(`${bundle.name}-v${bundle.version}.tar`),
      'Content-Length': String(part.end - part.start + 1),
    })
    if (asked?.length === 1) reply.code(206).header('Content-Range', `bytes ${part.start}-${part.end}/${tar.size}`)
    return Readable.from(tarBytes(deps.storage, tar, part), { objectMode: false })
  })
}

export const fusePlanRoutes = (api: Api): void => {
  route(api, contract.fusePlan, async ({ tx, params, query }) => {
    const { plan } = await planOf(tx, await bundleOf(tx, params.bundleId), query)
    return plan
  })

  route(api, contract.fusePlanScript, async ({ tx, params, query, reply, audit }) => {
    const bundle = await bundleOf(tx, params.bundleId)
    requireNotRevoked(bundle)
    if (query.confirm !== bundle.name) refuseField('confirm', 'confirm', 'Type the name of the bundle')
    const { facts, plan, target } = await planOf(tx, bundle, query)
    const [refusal] = plan.refusals
    if (refusal) refuse(409, refusal.code, { message: refusal.text, about: { refusals: plan.refusals } })
    const to = target.kind === 'device' ? `For ${target.name}` : 'For a blank part'
    audit({ target: auditTarget(bundle), reason: `Script. ${to}` })
    reply.header('Content-Disposition', attachment(`${bundle.name}-v${bundle.version}.sh`))
    return writeFuseScript(facts, plan, target)
  })
  downloads(api)
}
