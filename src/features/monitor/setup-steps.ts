import type { Permission } from '../../../contract/permissions'

/** What decides the steps; undefined while it loads. */
export type SetupFacts = {
  /** Keys that can sign releases. */
  keys: number | undefined
  devices: { total: number; seen: number }
  releases: { total: number; signed: number } | undefined
  rollouts: { open: number; completed: number } | undefined
  people: { members: number; invited: number } | undefined
}

const project = '/organizations/$organizationId/projects/$projectId'

export type SetupStep = {
  title: string
  state: 'todo' | 'doing' | 'done'
  /** What to do, or what is still missing. */
  note: string
  to:
    | `${typeof project}/access`
    | `${typeof project}/devices/device-config-generator`
    | `${typeof project}/releases/list`
    | `${typeof project}/releases/list/add`
    | `${typeof project}/releases/rollouts`
    | `${typeof project}/members/invites/add`
    | '/account/settings/organizations/list/$organizationId/invites/add'
  needs: Permission
}

const stateOf = (done: boolean, begun: boolean) => (done ? 'done' : begun ? 'doing' : 'todo')

/** A completed rollout proves a device, a release and a key, and a signed release proves a key. */
export const listSetupSteps = (facts: SetupFacts, isPersonal: boolean): SetupStep[] | undefined => {
  const { keys, devices, releases, rollouts, people } = facts
  if (rollouts === undefined || people === undefined) return undefined
  const completed = rollouts.completed > 0
  if (!completed && releases === undefined) return undefined
  const signed = completed || (releases?.signed ?? 0) > 0
  if (!signed && keys === undefined) return undefined
  const deviceState = stateOf(completed || devices.seen > 0, devices.total > 0)
  const releaseState = stateOf(signed, (releases?.total ?? 0) > 0)
  const rolloutState = stateOf(completed, rollouts.open > 0)
  const peopleState = stateOf(people.members > 1, people.invited > 0)
  return [
    {
      title: 'Add a signing key',
      state: stateOf(signed || (keys ?? 0) > 0, false),
      note: 'Devices install only signed releases. Register your public key.',
      to: `${project}/access`,
      needs: 'project:manage_access',
    },
    {
      title: 'Connect a device',
      state: deviceState,
      note:
        deviceState === 'doing'
          ? 'Added. Waiting for the first check-in.'
          : 'Create a configuration and start the device client with it.',
      to: `${project}/devices/device-config-generator`,
      needs: 'project:manage_devices',
    },
    {
      title: 'Add and sign a release',
      state: releaseState,
      note: releaseState === 'doing' ? 'Added. Not signed yet.' : 'Upload its files and sign its manifest.',
      to: releaseState === 'doing' ? `${project}/releases/list` : `${project}/releases/list/add`,
      needs: 'project:manage_releases',
    },
    {
      title: 'Roll out a release',
      state: rolloutState,
      note: rolloutState === 'doing' ? 'Started. Not completed yet.' : 'Open a signed release and start a rollout.',
      to: rolloutState === 'doing' ? `${project}/releases/rollouts` : `${project}/releases/list`,
      needs: 'project:manage_releases',
    },
    {
      title: 'Invite a second person',
      state: peopleState,
      note: peopleState === 'doing' ? 'Invited. Not accepted yet.' : 'They can approve rollouts, and act when you are away.',
      to: isPersonal ? `${project}/members/invites/add` : '/account/settings/organizations/list/$organizationId/invites/add',
      needs: isPersonal ? 'project:manage_members' : 'organization:manage_members',
    },
  ]
}
