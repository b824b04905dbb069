import type { FastifyInstance } from 'fastify'
import * as device from '../contract/device/endpoints'
import * as ddi from '../contract/ddi/endpoints'
import type { Endpoint } from '../contract/core/endpoint'
import { endpoints } from '../contract/endpoints'
import type { Deps } from './core/deps'
import type { Api } from './core/http/api'
import { rights } from './rights'
import { apiReferenceRoutes } from './core/http/api-reference'
import { apiDescriptionRoutes } from './core/http/api-description'
import { createApi } from './core/http/app'
import { identityRoutes } from './accounts/identities/routes'
import { sessionRoutes } from './accounts/sessions/routes'
import { userRoutes } from './accounts/users/routes'
import { avatarRoutes } from './accounts/users/avatar'
import { accountDeletionRoutes } from './accounts/account-deletion/routes'
import { accountRoutes } from './accounts/credentials/routes'
import { interstitialRoutes } from './accounts/users/interstitials/routes'
import { profileRoutes } from './accounts/users/profile/routes'
import { organizationRoutes } from './accounts/organizations/routes'
import { memberRoutes } from './accounts/members/routes'
import { guestRoutes } from './accounts/guests/routes'
import { inviteRoutes } from './accounts/invites/routes'
import { accessTokenRoutes } from './accounts/access-tokens/routes'
import { disableWebhooksOfProject } from './accounts/webhooks/repository'
import { webhookRoutes } from './accounts/webhooks/routes'
import { accessRequestRoutes } from './accounts/access-requests/routes'
import { countModelUse } from './overview/model-use.repository'
import { notificationRoutes } from './accounts/notifications/routes'
import { projectRoutes } from './accounts/projects/routes'
import { forgetAuthorInFleet } from './fleet/authors/repository'
import { tagRoutes } from './fleet/tags/routes'
import { auditRoutes } from './accounts/audit/routes'
import { countDevicesOfPlan, purgeDevicesOfProject } from './fleet/devices/repository'
import { deviceJobRoutes } from './fleet/device-jobs/routes'
import { simulatedDeviceRoutes } from './fleet/simulated-devices/routes'
import { renameTagInViews } from './fleet/saved-views/repository'
import { savedViewRoutes } from './fleet/saved-views/routes'
import { moveRoutes } from './fleet/devices/steps/move'
import { deviceRoutes } from './fleet/devices/routes'
import { deviceImportRoutes } from './fleet/imports/routes'
import { deviceApiRoutes } from './device-api/routes'
import { copyDdiDevice, listDevicesOfToken } from './ddi/devices.repository'
import { ddiRoutes } from './ddi/routes'
import { removeDefaultTag, renameDefaultTag } from './fleet/enrollment/repository'
import { enrollmentRoutes } from './fleet/enrollment/routes'
import { forgetAuthorInUpdates } from './updates/authors/repository'
import { assetRoutes } from './updates/releases/assets/routes'
import { deviceUpdateRoutes } from './updates/device-updates/routes'
import { revocationRoutes } from './updates/releases/signing/routes'
import { cancelRolloutsOfReleases, haltRollouts, listOpenRollouts } from './updates/rollouts/steps/cancel'
import { countTagUsage, freezeRolloutsWithout, renameTagInRollouts } from './updates/rollouts/plan/tag-usage.repository'
import { releaseRoutes } from './updates/releases/routes'
import { keyListRoutes } from './fleet/key-lists/routes'
import { componentRoutes } from './updates/releases/components/routes'
import { keyRoutes } from './fleet/keys/routes'
import { tellOfTransfer } from './accounts/notifications/owners'
import { rolloutRoutes } from './updates/rollouts/routes'
import { hasUnapprovedRollout } from './updates/rollouts/steps/unapproved.repository'
import {
  endUploadsOfBundle,
  endUploadsOfAsset,
  endUploadsOfArtifact,
  endUploadsOfOwner,
  endUploadsOfProject,
  endUploadsOfRelease,
} from './updates/uploads/ended'
import { secureBootRoutes } from './updates/secure-boot/routes'
import { countUsedBytes } from './updates/uploads/repository'
import { uploadRoutes } from './updates/uploads/routes'
import { countProjectContents } from './overview/project-contents.repository'
import { countPlanUsage } from './overview/plan-usage.repository'
import { expirationRoutes } from './overview/expirations/routes'
import { roleChangeRoutes } from './overview/role-changes/routes'
import { overviewRoutes } from './overview/routes'
import { eventRoutes } from './overview/events/routes'
import { searchRoutes } from './overview/search/routes'
import { configRoutes } from './fleet/configs/routes'
import { monitorRoutes } from './fleet/monitor/routes'
import { subscriptionRoutes } from './accounts/billing/routes'
import { logRoutes } from './fleet/logs/routes'
import { logSummaryRoutes } from './fleet/logs/summaries/routes'
import { clientBinaryRoutes } from './fleet/client-binaries/routes'

const moveAbove = { copyClientState: copyDdiDevice, hasUnapprovedRollout }

// Each module registers its routes.
const routeModules: readonly ((api: Api) => void)[] = [
  apiDescriptionRoutes,
  apiReferenceRoutes,
  sessionRoutes,
  identityRoutes,
  userRoutes,
  avatarRoutes,
  accountRoutes,
  (api) =>
    accountDeletionRoutes(api, {
      forgetAuthor: [forgetAuthorInFleet, forgetAuthorInUpdates],
      endUploads: endUploadsOfOwner,
    }),
  interstitialRoutes,
  profileRoutes,
  organizationRoutes,
  memberRoutes,
  guestRoutes,
  inviteRoutes,
  accessRequestRoutes,
  accessTokenRoutes,
  webhookRoutes,
  (api) =>
    projectRoutes(api, {
      countContents: countProjectContents,
      countModelUse,
      endUploads: endUploadsOfProject,
      purgeDevices: purgeDevicesOfProject,
      disableWebhooks: disableWebhooksOfProject,
      countDevices: countDevicesOfPlan,
      countStoredBytes: countUsedBytes,
      tellOfTransfer,
    }),
  (api) =>
    tagRoutes(api, {
      countUsage: countTagUsage,
      renameUses: [renameTagInRollouts, renameDefaultTag, renameTagInViews],
      deleteUses: [freezeRolloutsWithout, removeDefaultTag],
    }),
  auditRoutes,
  deviceRoutes,
  deviceImportRoutes,
  simulatedDeviceRoutes,
  (api) => deviceJobRoutes(api, moveAbove),
  savedViewRoutes,
  (api) => moveRoutes(api, moveAbove),
  deviceApiRoutes,
  ddiRoutes,
  (api) => enrollmentRoutes(api, { listDevicesOfToken }),
  configRoutes,
  monitorRoutes,
  overviewRoutes,
  eventRoutes,
  expirationRoutes,
  roleChangeRoutes,
  notificationRoutes,
  logRoutes,
  logSummaryRoutes,
  clientBinaryRoutes,
  (api) => subscriptionRoutes(api, { countUsage: countPlanUsage }),
  uploadRoutes,
  rolloutRoutes,
  keyRoutes,
  keyListRoutes,
  (api) => revocationRoutes(api, { cancelRollouts: cancelRolloutsOfReleases, listOpenRollouts }),
  deviceUpdateRoutes,
  (api) => releaseRoutes(api, { cancelRollouts: cancelRolloutsOfReleases, endUploads: endUploadsOfRelease }),
  componentRoutes,
  (api) => assetRoutes(api, { endUploads: endUploadsOfAsset, haltRollouts }),
  (api) =>
    secureBootRoutes(api, {
      endUploadsOfBundle,
      endUploadsOfArtifact,
      cancelRollouts: cancelRolloutsOfReleases,
      listOpenRollouts,
    }),
  searchRoutes,
]

/** T-02: the server starts only if every endpoint of the contract has a route. */
const checkServed = ({ served }: Api) => {
  const promised: Endpoint[] = [...Object.values(endpoints), ...Object.values(device), ...Object.values(ddi)]
  const missing = promised.filter((endpoint) => !served.has(endpoint)).map(({ method, path }) => `${method} ${path}`)
  if (missing.length > 0) throw new Error(`No route module serves: ${missing.join(', ')}`)
  if (served.size > promised.length) throw new Error('A route module serves an endpoint that is not in the contract')
}

/** The API host, ready to listen or to be injected. */
export const buildApi = (deps: Deps): FastifyInstance => {
  const api = createApi(deps, rights)
  for (const open of routeModules) open(api)
  checkServed(api)
  return api.app
}
