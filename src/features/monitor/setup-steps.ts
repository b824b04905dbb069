import type { Overview } from '../../../contract/overview/monitor'
import type { Permission } from '../../../contract/core/permissions'

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
  /** Opens the dialog of the step there. */
  search?: { add: 'signing_key' }
  needs: Permission
}

const stateOf = (done: boolean, begun: boolean) => (done ? 'done' : begun ? 'doing' : 'todo')

/** A completed rollout proves a device, a release and a key, and a signed release proves a key. */
export const listSetupSteps = ({ counts, setup }: Pick<Overview, 'counts' | 'setup'>, isPersonal: boolean): SetupStep[] => {
  const completed = setup.rollout === 'completed'
  const signed = completed || setup.release === 'signed'
  const deviceState = stateOf(completed || counts.total > counts.never_seen, counts.total > 0)
  const releaseState = stateOf(signed, setup.release === 'added')
  const rolloutState = stateOf(completed, setup.rollout === 'open')
  const peopleState = stateOf(setup.people === 'several', setup.people === 'invited')
  return [
    {
      title: 'Add a signing key',
      state: stateOf(signed || setup.key, false),
      note: 'Devices install only signed releases. Register your public key.',
      to: `${project}/access`,
      search: { add: 'signing_key' },
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
