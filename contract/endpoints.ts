import * as access from './access'
import * as accessTokens from './access-tokens'
import * as webhooks from './webhooks'
import * as accessRequests from './access-requests'
import * as account from './account'
import * as accountActivity from './account-activity'
import * as apiDescription from './api-description'
import * as audit from './audit'
import * as clientBinaries from './client-binaries'
import * as clientConfigs from './client-configs'
import * as components from './components'
import * as configs from './configs'
import * as deviceCommands from './device-commands'
import * as deviceExports from './device-exports'
import * as deviceImports from './device-imports'
import * as deviceJobs from './device-jobs'
import * as deviceLifecycle from './device-lifecycle'
import * as deviceLogs from './device-logs'
import * as deviceReports from './device-reports'
import * as deviceUpdates from './device-updates'
import * as devices from './devices'
import type { Endpoint } from './endpoint'
import * as eventStream from './event-stream'
import * as expirations from './expirations'
import * as guests from './guests'
import * as identities from './identities'
import * as interstitials from './interstitials'
import * as invites from './invites'
import * as keyLists from './key-lists'
import * as keys from './keys'
import * as logSummaries from './log-summaries'
import * as members from './members'
import * as modelCounts from './model-counts'
import * as monitor from './monitor'
import * as organization from './organization'
import * as organizations from './organizations'
import * as profile from './profile'
import * as projectChanges from './project-changes'
import * as projects from './projects'
import * as releaseAssets from './release-assets'
import * as releaseSigning from './release-signing'
import * as releases from './releases'
import * as roleChanges from './role-changes'
import * as rollBacks from './roll-backs'
import * as rolloutPlans from './rollout-plans'
import * as rolloutSteps from './rollout-steps'
import * as rollouts from './rollouts'
import * as subscriptions from './subscriptions'
import * as savedViews from './saved-views'
import * as search from './search'
import * as simulatedDevices from './simulated-devices'
import * as bundleArtifacts from './secure-boot/artifacts'
import * as bundles from './secure-boot/bundles'
import * as secureBootDevices from './secure-boot/devices'
import * as fusePlan from './secure-boot/fuse-plan'
import * as bundleRevocation from './secure-boot/revocation'
import * as notifications from './notifications'
import * as openSessions from './open-sessions'
import * as sessions from './sessions'
import * as tags from './tags'
import * as uploads from './uploads'
import * as users from './users'

const endpointModules = {
  apiDescription,
  sessions,
  identities,
  openSessions,
  users,
  account,
  accountActivity,
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
