import type { BaseRole, ProjectRole } from '../core/roles'

/** What a role may do, in one sentence for people who assign it. */
export const roleDescriptions: Readonly<Record<BaseRole | ProjectRole, string>> = {
  owner: 'Can do everything, including deleting the organization.',
  admin: 'Can do everything except delete the organization and manage its billing.',
  developer: 'Adds projects, manages devices, releases, keys and tokens. Does not approve rollouts or manage members.',
  maintainer: 'Manages devices, releases, keys and tokens of the project.',
  operator: 'Manages devices and approves rollouts. Does not create releases.',
  viewer: 'Can view projects and devices.',
  auditor: 'Can view projects, devices and the audit log of the organization.',
  billing: 'Manages plan and billing. Has no access to projects, except to those in which it has another role.',
}
