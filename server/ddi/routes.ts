import * as contract from '../../contract/ddi/endpoints'
import { clientOf } from '../../contract/fleet/hardware-models'
import type { ProjectSettings } from '../../contract/accounts/projects'
import type { Api } from '../core/http/api'
import { notFound, refuse } from '../core/http/refuse'
import { route, routeWithShortcut } from '../core/http/route'
import { createContacts } from '../fleet/devices/contacts'
import { type DeviceRow, lockCallingDevice } from '../fleet/devices/repository'
import { haltRollouts } from '../updates/rollouts/steps/cancel'
import { isOpen, isToBeCancelled } from './action-state'
import { findAction, findSucceededAction, listAssets } from './actions.repository'
import { artifactSender } from './artifacts'
import { clientReportRoutes } from './client-reports'
import { receiveAttributes } from './config-data'
import { artifactsOf, deploymentOf } from './deployment'
import { receiveCancelFeedback, receiveFeedback } from './feedback'
import { linkTo } from './links'
import { quietPoll } from './quiet-poll'
import { poll } from './root'
import { createThrottle, standardRates } from './throttle'

const versionAttribute = ({ hardware_models }: ProjectSettings, { hardwareModel }: DeviceRow) =>
  clientOf(hardware_models, hardwareModel).version_attribute

const openDeployments = (api: Api) => {
  route(api, contract.deploymentBase, async ({ tx, deps, device, params, query, request }) => {
    const found = await findAction(tx, device.id, Number(params.actionId))
    if (!found || !isOpen(found)) return notFound()
    return deploymentOf({ tx, deps, link: linkTo(deps.config, request, params) }, found, query)
  })
  route(api, contract.deploymentFeedback, receiveFeedback)

  route(api, contract.cancelAction, async ({ tx, device, params }) => {
    const found = await findAction(tx, device.id, Number(params.actionId))
    if (!found || !isToBeCancelled(found, await listAssets(tx, found.release.id))) return notFound()
    return { id: params.actionId, cancelAction: { stopId: params.actionId } }
  })
  route(api, contract.cancelFeedback, receiveCancelFeedback)
}

const openFacts = (api: Api) => {
  route(api, contract.putConfigData, async ({ tx, device: { id, settings }, body, now }) =>
    receiveAttributes(tx, await lockCallingDevice(tx, id), settings, body, now),
  )

  route(api, contract.installedBase, async ({ tx, deps, device, params, query, request }) => {
    const found = await findSucceededAction(tx, device.id)
    if (found?.action.id !== Number(params.actionId)) return notFound()
    return deploymentOf({ tx, deps, link: linkTo(deps.config, request, params) }, found, query)
  })
  route(api, contract.putInstalledBase, async ({ tx, device: { id, settings }, body, now, reply }) => {
    const device = await lockCallingDevice(tx, id)
    const isNew = device.attributes[versionAttribute(settings, device)] !== body.version
    await receiveAttributes(tx, device, settings, { data: { [versionAttribute(settings, device)]: body.version } }, now)
    if (isNew) reply.code(201)
  })
}

const openConfirmations = (api: Api) => {
  route(api, contract.confirmationBase, () => ({ autoConfirm: { active: true } }))
  route(api, contract.confirmation, () => notFound())
  route(api, contract.activateAutoConfirm, () => undefined)
  route(api, contract.deactivateAutoConfirm, () =>
    refuse(409, 'conflict', { message: 'Updates need no confirmation by a user here' }),
  )
}

const openArtifacts = (api: Api) => {
  const send = artifactSender(createThrottle(standardRates))
  route(api, contract.artifacts, async ({ tx, deps, device, params, request }) => {
    const found = await findAction(tx, device.id, Number(params.actionId))
    if (!found || !isOpen(found)) return notFound()
    return artifactsOf({ tx, deps, link: linkTo(deps.config, request, params) }, found)
  })
  route(api, contract.artifact, ({ deps, device, params, request, reply }) =>
    send({ deps: { ...deps, haltRollouts }, device, params }, request, reply),
  )
}

/** hawkBit's Direct Device Integration API, for its unmodified clients. */
export const ddiRoutes = (api: Api): void => {
  const contacts = createContacts(api.deps)
  api.app.addHook('onClose', () => contacts.close())
  routeWithShortcut(api, contract.root, quietPoll(contacts), poll)
  openDeployments(api)
  openFacts(api)
  openConfirmations(api)
  openArtifacts(api)
  clientReportRoutes(api)
}
