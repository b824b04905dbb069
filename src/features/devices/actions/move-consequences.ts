import { deletedDeviceDays, type Device } from '../../../../contract/fleet/devices'
import type { SigningKey } from '../../../../contract/fleet/keys'
import type { Project } from '../../../../contract/accounts/projects'
import type { Tag } from '../../../../contract/fleet/tags'
import { pluralize } from '../../../lib/pluralize'

/** The other project, as far as it matters for a device that is moved there. */
export type MoveGoal = {
  project: Pick<Project, 'name' | 'settings'>
  keys: readonly Pick<SigningKey, 'name' | 'fingerprint' | 'state'>[]
  tags: readonly Pick<Tag, 'name'>[]
}

type Moving = Pick<
  Device,
  'name' | 'protocol' | 'client' | 'hardware_model' | 'lifecycle' | 'installed' | 'tags' | 'trusted_keys' | 'quarantine'
>

const list = (names: readonly string[]) => names.join(', ')

/** The keys that may sign releases of the other project, and which of them the device trusts. */
const keysOf = ({ trusted_keys: trusted }: Moving, { keys }: MoveGoal) => {
  const valid = keys.filter(({ state }) => state === 'active' || state === 'retiring')
  return { valid, known: valid.filter((key) => trusted.some(({ fingerprint }) => fingerprint === key.fingerprint)) }
}

/** Whether the device would refuse every release of the other project. Clients of DDI know no keys of a project. */
export const lacksKeys = (device: Moving, goal: MoveGoal): boolean =>
  device.protocol !== 'ddi' && keysOf(device, goal).known.length === 0

/** Why the server would refuse the move; undefined if nothing is known to stand against it. */
export const moveRefusal = ({ hardware_model: model }: Moving, { project }: MoveGoal): string | undefined => {
  const { hardware_models: models } = project.settings
  return models.length === 0 || models.some(({ id }) => id === model)
    ? undefined
    : `${project.name} has no hardware model ${model}. Add it in the settings of ${project.name} first.`
}

const keyText = (device: Moving, goal: MoveGoal, from: string): string => {
  const { valid, known } = keysOf(device, goal)
  const { name } = goal.project
  return known.length === 0
    ? `It trusts the keys of ${from} and no signing key of ${name}: it refuses every release of ${name} until its device.json names one (without a key-list.json beside its state, which counts instead).`
    : `It trusts ${known.length} of ${pluralize(valid.length, 'signing key')} of ${name}: ${list(known.map((key) => key.name))}. It refuses releases that only others signed.`
}

const tagTexts = ({ tags }: Moving, { project, tags: there }: MoveGoal): string[] => {
  const has = (name: string) => there.some((tag) => tag.name === name)
  const kept = tags.filter(({ name }) => has(name)).map(({ name }) => name)
  const lost = tags.filter(({ name }) => !has(name)).map(({ name }) => name)
  return [
    ...(kept.length > 0 ? [`It keeps the tags that ${project.name} has: ${list(kept)}.`] : []),
    ...(lost.length > 0 ? [`It loses the tags that ${project.name} does not have: ${list(lost)}.`] : []),
  ]
}

/** What moving a device changes, for the device and for both projects. */
export const moveConsequences = (device: Moving, from: string, goal: MoveGoal): string[] => {
  const { protocol, client, installed, quarantine } = device
  const { name } = goal.project
  const agent = client ? `Its agent, ${client.name} ${client.version},` : 'Its agent'
  return [
    protocol === 'ddi'
      ? 'Its client keeps its address and its token.'
      : `It keeps its token. ${agent} follows at the next check-in: from then on it accepts releases of ${name} only. An agent that is older than this control center cannot follow: it refuses the releases of ${name} until it is replaced on the device.`,
    ...(protocol === 'ddi' ? [] : [keyText(device, goal, from)]),
    ...(installed
      ? [
          `It runs ${installed.display_version ?? `v${installed.version}`}, with the version number ${installed.version}. A release of ${name} needs a higher number, or must allow a downgrade from it.`,
        ]
      : []),
    ...tagTexts(device, goal),
    `Open rollouts of ${from} go on without it. Open rollouts of ${name} that add matching devices include it.`,
    ...(quarantine ? ['Its quarantine ends.'] : []),
    `Settings, thresholds and the plan of ${name} apply.`,
    `Its updates, logs and metrics stay in ${from} and return with it if you move it back within ${deletedDeviceDays} days; after that they are removed.`,
    'It gets a new id: links to its page end. The audit logs of both projects record the move, and the owners of an organization that it leaves are told.',
  ]
}
