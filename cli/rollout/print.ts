import type { RollBackPreview } from '../../contract/updates/roll-backs'
import type { RolloutPreview } from '../../contract/updates/rollout-plans'
import type { Rollout, WaveStatus } from '../../contract/updates/rollouts'
import { type Cell, facts, table } from '../core/print'

const words = (state: string) => state.replaceAll('_', ' ')

/** The state, and why a rollout is in it where something is recorded. */
export const stateText = ({ state, state_reason: reason }: Rollout): string =>
  reason === null ? words(state) : `${words(state)}: ${reason}`

const colours: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  completed: 'green',
  passed: 'green',
  running: 'green',
  waiting_for_user: 'yellow',
  pending_approval: 'yellow',
  paused: 'yellow',
  halted: 'red',
  failed: 'red',
  rolled_back: 'red',
  rolling_back: 'red',
}
const stateCell = (state: string): Cell => ({ text: words(state), colour: colours[state] })

export const rolloutTable = (rollouts: readonly Rollout[]): string =>
  table(
    ['Name', 'Version', 'State', 'Targeted', 'Succeeded', 'Failed', 'Running', 'Waiting', 'Id'],
    rollouts.map(({ name, version, state, counts, id }) => [
      name,
      version,
      stateCell(state),
      counts.targeted,
      counts.succeeded,
      counts.failed,
      counts.running,
      counts.waiting,
      id,
    ]),
  )

const waveName = ({ tag, percent }: WaveStatus) => (tag === null ? `${percent} %` : `tag ${tag}`)

export const waveTable = (rollout: Rollout, target: NodeJS.WriteStream = process.stdout): string =>
  table(
    ['Wave', 'Devices', 'State', 'Targeted', 'Succeeded', 'Failed', 'Running', 'Waiting'],
    rollout.waves.map((wave) => [
      wave.n,
      waveName(wave),
      stateCell(wave.state),
      wave.counts.targeted,
      wave.counts.succeeded,
      wave.counts.failed,
      wave.counts.running,
      wave.counts.waiting,
    ]),
    target,
  )

export const rolloutFacts = (rollout: Rollout): string =>
  facts([
    ['Rollout', rollout.name],
    ['Id', rollout.id],
    ['Release', `${rollout.release_name}, version ${rollout.version}`],
    ['State', stateCell(rollout.state)],
    ...(rollout.state_reason === null ? [] : [['Reason', rollout.state_reason] as const]),
    ['Devices', `${rollout.counts.succeeded} of ${rollout.counts.targeted} succeeded, ${rollout.counts.failed} failed`],
  ])

/** One line for a log. */
export const waveLine = (wave: WaveStatus, of: number): string => {
  const { succeeded, failed, targeted } = wave.counts
  return `wave ${wave.n} of ${of} ${words(wave.state)}: ${succeeded} of ${targeted} succeeded, ${failed} failed`
}

const names = (sample: readonly { name: string }[], count: number) => {
  const shown = sample.slice(0, 3).map(({ name }) => name)
  return count > shown.length ? `${shown.join(', ')}, …` : shown.join(', ')
}

export const previewText = (preview: RolloutPreview): string => {
  const { waves, excluded, total, paused, key_coverage: keys } = preview
  return [
    table(
      ['Wave', 'Devices', 'Such as'],
      waves.map(({ n, count, sample }) => [n, count, names(sample, count)]),
      process.stderr,
    ),
    ...(excluded.length === 0
      ? []
      : [
          table(
            ['Left out because', 'Devices', 'Such as'],
            excluded.map(({ reason, count, sample }) => [words(reason), count, names(sample, count)]),
            process.stderr,
          ),
        ]),
    `${total} ${total === 1 ? 'device' : 'devices'}; ${keys.trusting + keys.not_applicable} trust a key of the release\n`,
    ...(paused === null
      ? []
      : [`${paused.count} of them ${paused.count === 1 ? 'is' : 'are'} paused and wait until ${paused.until} at the latest\n`]),
    ...preview.overlaps.map(
      ({ name, count }) => `${count} of them ${count === 1 ? 'waits or is' : 'wait or are'} updated in ${name} too\n`,
    ),
    ...waves.flatMap(({ n, count, asked_count: asked }) =>
      asked === null
        ? []
        : [`Wave ${n} is the last one: it takes the ${count} that are left, although the plan ends at ${asked}\n`],
    ),
    ...(preview.requires_approval ? ['Another person has to approve this rollout\n'] : []),
  ].join('\n')
}

export const rollBackText = ({ returns, stays, under_way: underWay, also_offered: others }: RollBackPreview): string =>
  [
    table(
      ['Returns to', 'Devices', 'Such as'],
      returns.map((one) => [`${one.release_name}, version ${one.version}`, one.count, names(one.sample, one.count)]),
      process.stderr,
    ),
    ...(stays.length === 0
      ? []
      : [
          table(
            ['Stays because', 'Devices', 'Such as'],
            stays.map(({ text, count, sample }) => [text, count, names(sample, count)]),
            process.stderr,
          ),
        ]),
    ...(underWay.returning + underWay.staying > 0
      ? [`${underWay.returning + underWay.staying} updates under way finish first\n`]
      : []),
    ...(others.length > 0
      ? [`Still open with this release, and not stopped: ${others.map(({ name }) => name).join(', ')}\n`]
      : []),
  ].join('\n')
