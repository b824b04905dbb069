import { endpoint, type Needs } from '../core/endpoint'
import * as wire from './api'

/** SWUpdate sends at most its last 200 lines of log. */
const maxFeedbackBytes = 65_536

const controller: Needs = { kind: 'controller' }

/** 200 also for a device that waits for acceptance: without an action. 403 when a credential has ended. */
export const root = endpoint({
  method: 'GET',
  path: '/:tenant/controller/v1/:controllerId',
  summary: 'Poll for work. Registers an unknown device that a gateway token or a certificate authority vouches for.',
  needs: controller,
  audit: 'device.enroll',
  rate: 'controller',
  errors: 'ddi',
  answer: wire.Root,
})

export const deploymentBase = endpoint({
  method: 'GET',
  path: '/:tenant/controller/v1/:controllerId/deploymentBase/:actionId',
  summary: 'Get the bundle to install and where to download it.',
  needs: controller,
  audit: 'none',
  rate: 'controller',
  errors: 'ddi',
  query: wire.DeploymentQuery,
  answer: wire.DeploymentBase,
})

/** 404 for an unknown action; 410 for an ended one, except `closed`, which clients repeat until they get 200. */
export const deploymentFeedback = endpoint({
  method: 'POST',
  path: '/:tenant/controller/v1/:controllerId/deploymentBase/:actionId/feedback',
  summary: 'Report the progress or the end of an update.',
  needs: controller,
  audit: 'none',
  rate: 'unlimited',
  errors: 'ddi',
  accepts: 'report',
  maxBytes: maxFeedbackBytes,
  answer: 'none',
  status: 200,
})

export const cancelAction = endpoint({
  method: 'GET',
  path: '/:tenant/controller/v1/:controllerId/cancelAction/:actionId',
  summary: 'Get the action to stop.',
  needs: controller,
  audit: 'none',
  rate: 'controller',
  errors: 'ddi',
  answer: wire.CancelAction,
})

export const cancelFeedback = endpoint({
  method: 'POST',
  path: '/:tenant/controller/v1/:controllerId/cancelAction/:actionId/feedback',
  summary: 'Report whether an update was stopped.',
  needs: controller,
  audit: 'none',
  rate: 'unlimited',
  errors: 'ddi',
  accepts: 'report',
  maxBytes: maxFeedbackBytes,
  answer: 'none',
  status: 200,
})

export const putConfigData = endpoint({
  method: 'PUT',
  path: '/:tenant/controller/v1/:controllerId/configData',
  summary: 'Report attributes of the device: at most 100, of which some confirm an update.',
  needs: controller,
  audit: 'none',
  rate: 'controller',
  errors: 'ddi',
  body: wire.ConfigData,
  answer: 'none',
  status: 200,
})

export const installedBase = endpoint({
  method: 'GET',
  path: '/:tenant/controller/v1/:controllerId/installedBase/:actionId',
  summary: 'Get the last action that has succeeded.',
  needs: controller,
  audit: 'none',
  rate: 'controller',
  errors: 'ddi',
  query: wire.DeploymentQuery,
  answer: wire.DeploymentBase,
})

/** 201 for another version than the last one. */
export const putInstalledBase = endpoint({
  method: 'PUT',
  path: '/:tenant/controller/v1/:controllerId/installedBase',
  summary: 'Report the installed version.',
  needs: controller,
  audit: 'none',
  rate: 'controller',
  errors: 'ddi',
  body: wire.InstalledVersion,
  answer: 'none',
  status: 200,
})

export const confirmationBase = endpoint({
  method: 'GET',
  path: '/:tenant/controller/v1/:controllerId/confirmationBase',
  summary: 'Get whether updates need a confirmation by a user: they never do.',
  needs: controller,
  audit: 'none',
  rate: 'controller',
  errors: 'ddi',
  answer: wire.AutoConfirm,
})

/** Always 404: no action waits for a user. */
export const confirmation = endpoint({
  method: 'GET',
  path: '/:tenant/controller/v1/:controllerId/confirmationBase/:actionId',
  summary: 'Get an action that waits for a confirmation by a user.',
  needs: controller,
  audit: 'none',
  rate: 'controller',
  errors: 'ddi',
  answer: wire.DeploymentBase,
})

export const activateAutoConfirm = endpoint({
  method: 'POST',
  path: '/:tenant/controller/v1/:controllerId/confirmationBase/activateAutoConfirm',
  summary: 'Confirm all updates from now on, as always.',
  needs: controller,
  audit: 'none',
  rate: 'controller',
  errors: 'ddi',
  accepts: 'report',
  maxBytes: maxFeedbackBytes,
  answer: 'none',
  status: 200,
})

/** Always 409. */
export const deactivateAutoConfirm = endpoint({
  method: 'POST',
  path: '/:tenant/controller/v1/:controllerId/confirmationBase/deactivateAutoConfirm',
  summary: 'Ask for confirmations by a user, which do not exist here.',
  needs: controller,
  audit: 'none',
  rate: 'controller',
  errors: 'ddi',
  accepts: 'report',
  maxBytes: maxFeedbackBytes,
  answer: 'none',
  status: 200,
})

export const artifacts = endpoint({
  method: 'GET',
  path: '/:tenant/controller/v1/:controllerId/softwaremodules/:actionId/artifacts',
  summary: 'List the files of an action.',
  needs: controller,
  audit: 'none',
  rate: 'controller',
  errors: 'ddi',
  answer: wire.Artifacts,
})

/**
 * 200, 206 or 416, with `ETag: "sha256-…"`; `<name>.MD5SUM` is a text, unless it is the
 * name of a file. Slowed down instead of refused: clients take a refusal for
 * a failed update.
 */
export const artifact = endpoint({
  method: 'GET',
  path: '/:tenant/controller/v1/:controllerId/softwaremodules/:actionId/artifacts/:artifactName',
  summary: 'Download one file of an action, whole or in ranges.',
  needs: controller,
  audit: 'none',
  rate: 'unlimited',
  errors: 'status',
  answer: 'bytes',
})
