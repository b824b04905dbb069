import * as access from './fleet/enrollment-tokens'
import * as accessTokens from './accounts/access-tokens'
import * as webhooks from './accounts/webhooks'
import * as accessRequests from './accounts/access-requests'
import * as account from './accounts/account'
import * as accountActivity from './accounts/account-activity'
import * as accountDeletion from './accounts/account-deletion'
import * as apiDescription from './api-description'
import * as audit from './accounts/audit'
import * as clientBinaries from './fleet/client-binaries'
import * as clientConfigs from './fleet/client-configs'
import * as components from './updates/components'
import * as configs from './fleet/configs'
import * as deviceCommands from './fleet/device-commands'
import * as deviceExports from './fleet/device-exports'
import * as deviceImports from './fleet/device-imports'
import * as deviceJobs from './fleet/device-jobs'
import * as deviceLifecycle from './fleet/device-lifecycle'
import * as deviceLogs from './fleet/device-logs'
import * as deviceReports from './fleet/device-reports'
import * as deviceUpdates from './updates/device-updates'
import * as devices from './fleet/devices'
import type { Endpoint } from './core/endpoint'
import * as eventStream from './overview/event-stream'
import * as expirations from './overview/expirations'
import * as guests from './accounts/guests'
import * as emailChange from './accounts/email-change'
import * as identities from './accounts/identities'
import * as interstitials from './accounts/interstitials'
import * as invites from './accounts/invites'
import * as keyLists from './fleet/key-lists'
import * as keys from './fleet/keys'
import * as logSummaries from './fleet/log-summaries'
import * as members from './accounts/members'
import * as modelCounts from './fleet/model-counts'
import * as monitor from './overview/monitor'
import * as organization from './accounts/organization'
import * as organizations from './accounts/organizations'
import * as profile from './accounts/profile'
import * as projectChanges from './accounts/project-changes'
import * as projects from './accounts/projects'
import * as releaseAssets from './updates/release-assets'
import * as releaseSigning from './updates/release-signing'
import * as releases from './updates/releases'
import * as roleChanges from './accounts/role-changes'
import * as rollBacks from './updates/roll-backs'
import * as rolloutPlans from './updates/rollout-plans'
import * as rolloutSteps from './updates/rollout-steps'
import * as rollouts from './updates/rollouts'
import * as subscriptions from './accounts/subscriptions'
import * as savedViews from './fleet/saved-views'
import * as search from './overview/search'
import * as simulatedDevices from './fleet/simulated-devices'
import * as bundleArtifacts from './updates/secure-boot/artifacts'
import * as bundles from './updates/secure-boot/bundles'
import * as secureBootDevices from './updates/secure-boot/devices'
import * as fusePlan from './updates/secure-boot/fuse-plan'
import * as bundleRevocation from './updates/secure-boot/revocation'
import * as notifications from './accounts/notifications'
import * as openSessions from './accounts/open-sessions'
import * as sessions from './accounts/sessions'
import * as tags from './fleet/tags'
import * as uploads from './updates/uploads'
import * as users from './accounts/users'

const endpointModules = {
  apiDescription,
  sessions,
  emailChange,
  identities,
  openSessions,
  users,
  account,
  accountActivity,
  accountDeletion,
  interstitials,
  profile,
  organization,
  organizations,
  members,
  roleChanges,
  guests,
  invites,
  accessRequests,
  projects,
  projectChanges,
  tags,
  devices,
  deviceExports,
  deviceImports,
  deviceJobs,
  deviceLifecycle,
  deviceCommands,
  deviceReports,
  deviceUpdates,
  deviceLogs,
  logSummaries,
  access,
  accessTokens,
  webhooks,
  configs,
  clientConfigs,
  releases,
  releaseAssets,
  releaseSigning,
  components,
  keys,
  keyLists,
  'secure-boot/bundles': bundles,
  'secure-boot/artifacts': bundleArtifacts,
  'secure-boot/devices': secureBootDevices,
  'secure-boot/fuse-plan': fusePlan,
  'secure-boot/revocation': bundleRevocation,
  rollouts,
  rollBacks,
  rolloutPlans,
  rolloutSteps,
  uploads,
  modelCounts,
  monitor,
  eventStream,
  audit,
  savedViews,
  simulatedDevices,
  search,
  clientBinaries,
  subscriptions,
  expirations,
  notifications,
}

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'needs' in value

/**
 * Every console endpoint by `module.name`: what the server must serve, and the source of the authorization matrix. Not for the
 * console.
 */
export const endpoints: Readonly<Record<string, Endpoint>> = Object.fromEntries(
  Object.entries(endpointModules).flatMap(([room, exports]) =>
    Object.entries(exports)
      .filter((entry): entry is [string, Endpoint] => isEndpoint(entry[1]))
      .map(([name, endpoint]) => [`${room}.${name}`, endpoint] as const),
  ),
)
