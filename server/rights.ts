import type { Rights, Uniques } from './core/http/rights'
import type { Loaders } from './core/http/scope'
import { findTokenUser } from './accounts/access-tokens/authenticate'
import { findAccessTokenProject, listIssuedAccessTokens } from './accounts/access-tokens/repository'
import { accessTokenUniques } from './accounts/access-tokens/uniques'
import { findIdentityOwner } from './accounts/identities/repository'
import { findNotificationOwner } from './accounts/notifications/repository'
import { mayFreeSpace } from './accounts/projects/may-free-space.repository'
import { resolveScope } from './accounts/projects/resolve-scope'
import { projectUniques } from './accounts/projects/uniques'
import { findSessionUser } from './accounts/sessions/authenticate'
import { findSessionOwner, listIssuedSessionTokens } from './accounts/sessions/repository'
import { findDelivery } from './accounts/webhooks/deliveries.repository'
import { findWebhookProject } from './accounts/webhooks/repository'
import { createControllerFinder } from './ddi/authenticate'
import { findJobProject } from './fleet/device-jobs/repository'
import { findDeviceProject } from './fleet/devices/repository'
import { deviceUniques } from './fleet/devices/uniques'
import { findDeviceActor, findEnrollmentActor } from './fleet/enrollment/authenticate'
import { listIssuedDeviceTokens, listIssuedEnrollmentTokens } from './fleet/enrollment/issued-tokens.repository'
import { findEnrollmentTokenProject } from './fleet/enrollment/repository'
import { enrollmentTokenUniques } from './fleet/enrollment/uniques'
import { findKeyProject } from './fleet/keys/repository'
import { keyUniques } from './fleet/keys/uniques'
import { findLogSummaryProject } from './fleet/logs/summaries/repository'
import { findSavedViewScope } from './fleet/saved-views/repository'
import { savedViewUniques } from './fleet/saved-views/uniques'
import { findTagProject } from './fleet/tags/repository'
import { tagUniques } from './fleet/tags/uniques'
import { findAssetProject } from './updates/releases/assets/repository'
import { assetUniques } from './updates/releases/assets/uniques'
import { findReleaseProject } from './updates/releases/repository'
import { findRolloutProject } from './updates/rollouts/rows/rollout-rows.repository'
import { findArtifactProject } from './updates/secure-boot/artifacts.repository'
import { findBundleProject } from './updates/secure-boot/repository'
import { artifactUniques } from './updates/secure-boot/uniques'
import { findUploadScope } from './updates/uploads/repository'

const loaders: Loaders = {
  access_token: findAccessTokenProject,
  artifact_bundle: findBundleProject,
  asset: findAssetProject,
  bundle_artifact: findArtifactProject,
  device: findDeviceProject,
  device_job: findJobProject,
  enrollment_token: findEnrollmentTokenProject,
  identity: findIdentityOwner,
  log_summary: findLogSummaryProject,
  notification: findNotificationOwner,
  release: findReleaseProject,
  rollout: findRolloutProject,
  saved_view: findSavedViewScope,
  session: findSessionOwner,
  signing_key: findKeyProject,
  tag: findTagProject,
  upload: findUploadScope,
  webhook: findWebhookProject,
  webhook_delivery: findDelivery,
}

const uniques: Uniques = new Map([
  ...accessTokenUniques,
  ...artifactUniques,
  ...assetUniques,
  ...deviceUniques,
  ...enrollmentTokenUniques,
  ...keyUniques,
  ...projectUniques,
  ...savedViewUniques,
  ...tagUniques,
])

/** What the domains contribute to authentication and authorization. */
export const rights: Rights = {
  findActor: {
    session: findSessionUser,
    accessToken: findTokenUser,
    device: findDeviceActor,
    enrollment: findEnrollmentActor,
  },
  createControllerFinder,
  issuedTokens: {
    session: listIssuedSessionTokens,
    access_token: listIssuedAccessTokens,
    device: listIssuedDeviceTokens,
    enrollment: listIssuedEnrollmentTokens,
  },
  resolveScope,
  loaders,
  uniques,
  mayFreeSpace,
}
