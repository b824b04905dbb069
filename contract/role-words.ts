import type { BaseRole, ProjectRole } from './roles'

/** What a role may do, in one sentence for people who assign it. */
export const roleWords: Readonly<Record<BaseRole | ProjectRole, string>> = {
  owner: 'May do everything, the deletion of the organization included.',
  admin: 'May do everything but delete the organization and manage its billing.',
  developer: 'Adds projects, manages devices, releases, keys and tokens. Does not approve rollouts or manage members.',
  maintainer: 'Manages devices, releases, keys and tokens of the project.',
  operator: 'Manages devices and approves rollouts. Does not make releases.',
  viewer: 'Sees projects and devices, changes nothing.',
  auditor: 'Sees projects, devices and the audit log of the organization, changes nothing.',
  billing: 'Manages plan and billing, sees no project.',
}
