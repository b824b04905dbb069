/**
 * By route, each control that a viewer of an organization is refused, named as read with the label that it has while it is busy, and
 * the permission it asks for. `none`: it is disabled for another reason.
 */
export const refusedControls: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/account/settings/organizations/list/$organizationId/audit-log': {
    'Ask for access': 'organization:view_audit_log',
  },
  '/account/settings/organizations/list/$organizationId/invites/': {
    'Ask for access': 'organization:manage_members',
  },
  '/account/settings/organizations/list/$organizationId/invites/add': {
    'Ask for access': 'organization:manage_members',
  },
  '/account/settings/organizations/list/$organizationId/members': {
    'Invite people': 'organization:manage_members',
    'Role of Ines Marlow: owner': 'organization:manage_members',
    'Roles of Ines Marlow in projects': 'none',
    'Remove Ines Marlow': 'organization:manage_members',
    'Role of Ines Marlow: viewer': 'organization:manage_members',
    'Role of Ines Marlow: developer': 'organization:manage_members',
  },
  '/account/settings/organizations/list/$organizationId/summary': {
    'SaveSaving...': 'organization:update',
    'Delete organization': 'organization:delete',
  },
  '/organizations/$organizationId/projects/$projectId/access': {
    'Add authority': 'project:manage_access',
    'Add key': 'project:manage_access',
    'Actions of release-2026': 'project:manage_access',
    'Add access token': 'project:manage_access',
    'Open webhooks': 'project:update',
    'Add token': 'project:manage_access',
    'Actions of Field installation': 'project:manage_access',
  },
  '/organizations/$organizationId/projects/$projectId/access/key-rotation': {
    'Replace keySaving...': 'project:manage_access',
  },
  '/organizations/$organizationId/projects/$projectId/access/webhooks': {
    'Ask for access': 'project:update',
  },
  '/organizations/$organizationId/projects/$projectId/devices/device-config-generator': {
    'Ask for access': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/devices/import': {
    'UndoDeleting...': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/devices/list/': {
    'Config Generator': 'project:manage_devices',
    'Add Device': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/commands': {
    Edit: 'project:manage_devices',
    'Check now': 'device:remote_command',
    Reboot: 'device:remote_command',
    'More actions': 'project:manage_devices',
    'Send logs': 'device:remote_command',
    'Collect diagnostics': 'device:remote_command',
    'CancelCancelling...': 'device:remote_command',
  },
  '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/details': {
    Edit: 'project:manage_devices',
    'Check now': 'device:remote_command',
    Reboot: 'device:remote_command',
    'More actions': 'project:manage_devices',
    'Edit metadata': 'project:manage_devices',
    'Edit notes': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/edit': {
    'Ask for access': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/log-summaries': {
    Edit: 'project:manage_devices',
    'Check now': 'device:remote_command',
    Reboot: 'device:remote_command',
    'More actions': 'project:manage_devices',
    'SummarizeReading...': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/log-summaries-plaintext': {
    Edit: 'project:manage_devices',
    'Check now': 'device:remote_command',
    Reboot: 'device:remote_command',
    'More actions': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/metrics': {
    Edit: 'project:manage_devices',
    'Check now': 'device:remote_command',
    Reboot: 'device:remote_command',
    'More actions': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/system-logs': {
    Edit: 'project:manage_devices',
    'Check now': 'device:remote_command',
    Reboot: 'device:remote_command',
    'More actions': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events': {
    Edit: 'project:manage_devices',
    'Check now': 'device:remote_command',
    Reboot: 'device:remote_command',
    'More actions': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/devices/list/add': {
    'Ask for access': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/devices/list/deleted': {
    'RestoreRestoring...': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/monitor': {
    'Roll out a release': 'project:manage_releases',
    'Retry: Orchard-Gateways-of-the-irrigation-network-with-their-cameras-1': 'project:manage_releases',
  },
  '/organizations/$organizationId/projects/$projectId/releases/list/': {
    'Add Release': 'project:manage_releases',
  },
  '/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/assets': {
    Edit: 'project:manage_releases',
    'Start rollout': 'project:manage_releases',
    'More actions': 'project:manage_releases',
  },
  '/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/compare': {
    Edit: 'project:manage_releases',
    'Start rollout': 'project:manage_releases',
    'More actions': 'project:manage_releases',
  },
  '/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/components': {
    Edit: 'project:manage_releases',
    'Start rollout': 'project:manage_releases',
    'More actions': 'project:manage_releases',
  },
  '/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/rollout': {
    'Ask for access': 'project:manage_releases',
  },
  '/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/status': {
    Edit: 'project:manage_releases',
    'Start rollout': 'project:manage_releases',
    'More actions': 'project:manage_releases',
    Pause: 'project:manage_releases',
    'Retry failed': 'project:manage_releases',
    'More actions for Gateway #1': 'project:manage_releases',
    'Build manifestBuilding...': 'project:manage_releases',
    'Reopen draft': 'project:manage_releases',
  },
  '/organizations/$organizationId/projects/$projectId/releases/list/add': {
    'Ask for access': 'project:manage_releases',
  },
  '/organizations/$organizationId/projects/$projectId/releases/rollouts/$rolloutId': {
    Pause: 'project:manage_releases',
    'Retry failed': 'project:manage_releases',
    'More actions for Gateway #1': 'project:manage_releases',
  },
  '/organizations/$organizationId/projects/$projectId/secure-boot/list/': {
    'Add Bundle': 'project:update',
  },
  '/organizations/$organizationId/projects/$projectId/secure-boot/list/$artifactsBundleId': {
    Edit: 'project:update',
    'Check bundleStarting...': 'project:update',
    'More actions': 'project:update',
    'Remove u-boot.dtb': 'project:update',
    'Add parts': 'project:update',
    'Remove the key of slot 0': 'project:update',
  },
  '/organizations/$organizationId/projects/$projectId/secure-boot/list/add': {
    'Ask for access': 'project:update',
  },
  '/organizations/$organizationId/projects/$projectId/settings/general': {
    'Ask for access': 'project:update',
  },
  '/organizations/$organizationId/projects/$projectId/tags/list/': {
    'Add Tag': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/tags/list/$tagId/edit': {
    'SaveSaving...': 'project:manage_devices',
    'Delete tag': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/$projectId/tags/list/add': {
    'SaveSaving...': 'project:manage_devices',
  },
  '/organizations/$organizationId/projects/add': {
    'Ask for access': 'project:create',
  },
}
