import { expect, it } from 'vitest'
import { connectivities, healths, lifecycles, unusedLifecycles } from '../contract/fleet/devices'
import { updateStates } from '../contract/device/update-events'
import { releaseStates } from '../contract/updates/releases'
import { rolloutStates, WaveStatus } from '../contract/updates/rollouts'
import { deviceUpdateMoves } from '../machines/device-update/device-update.machine'
import { releaseMoves } from '../machines/release/release.machine'
import { type RolloutPhase, rolloutMoves } from '../machines/rollout/rollout.machine'
import { updateGroupOf } from '../server/fleet/devices/state/update-group'
import { describeWait, rolloutDisplay, waveDisplay } from '../src/lib/rollout-status'
import * as display from '../src/lib/status-display'
import { contactDisplay } from '../src/features/devices/list/contact-display'

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
const yes = (is: boolean) => (is ? 'yes' : '')
const shown = ({ word, shape }: display.StatusDisplay) => `${word} (${shape})`
const code = (state: string) => `\`${state}\``

const counts = { targeted: 10, succeeded: 8, failed: 2, running: 0, claimed: 0, waiting: 3 }
const outcome = (state: string, changes: Partial<typeof counts>, with_failures = false) => ({
  state,
  counts: { ...counts, ...changes },
  current_wave: 2,
  waves: 3,
  with_failures,
})
const phaseOf = (state: (typeof rolloutStates)[number]): RolloutPhase => (state === 'running' ? 'filling' : state)
const wait = (state: string, requires_approval = false) =>
  describeWait({ state, counts, current_wave: 2, start_at: null, requires_approval, asked_by: ['Ines Marlow'] }) ?? ''

const devices = () => {
  const rows = lifecycles.map((lifecycle) => {
    const isUsed = !unusedLifecycles.includes(lifecycle)
    const contact = contactDisplay({ lifecycle, connectivity: 'online' })
    return [code(lifecycle), shown(display.lifecycleDisplay(lifecycle)), shown(contact), yes(isUsed), yes(lifecycle === 'active')]
  })
  return `${table(['State', 'Shown as', 'In the list while it is heard of', 'Counted on Monitor, cards, metrics and by the plan', 'Gets updates'], rows)}
Contact and health are shown for devices that are counted:

${table(
  ['State', 'Shown as'],
  [
    ...connectivities.map((one) => [code(one), shown(display.connectivityDisplay(one))]),
    ...healths.map((one) => [code(one), shown(display.healthDisplay(one))]),
  ],
)}`
}

const inRollouts = () =>
  table(
    ['State', 'Shown as', 'Group in the list of devices', 'A gate counts it as', 'It can be tried again'],
    updateStates.map((state) => {
      const group = updateGroupOf(state)
      const counted = { none: 'left out', waiting: 'waiting', in_progress: 'running', succeeded: 'succeeded', failed: 'failed' }
      const again = deviceUpdateMoves.canMove(state, 'update.retried')
      return [
        code(state),
        shown(display.updateDisplay(state)),
        display.updateGroupDisplay(group).word,
        deviceUpdateMoves.hasTag(state, 'held') ? 'left out' : counted[group],
        yes(again),
      ]
    }),
  )

const releases = () =>
  table(
    [
      'State',
      'Shown as',
      'Its facts and files can be changed',
      'A rollout of it can begin',
      'Devices that were offered it may go on',
    ],
    releaseStates.map((state) => [
      code(state),
      shown(display.releaseDisplay(state)),
      yes(releaseMoves.hasTag(state, 'editable')),
      yes(releaseMoves.hasTag(state, 'deployable')),
      yes(releaseMoves.hasTag(state, 'offered')),
    ]),
  )

const rollouts = () =>
  table(
    ['State', 'Shown as', 'Offers it to devices', 'Ended', 'The page says for what it waits'],
    rolloutStates.map((state) => [
      code(state),
      shown(rolloutDisplay(outcome(state, { failed: 0 }))),
      yes(rolloutMoves.hasTag(phaseOf(state), 'offering')),
      yes(rolloutMoves.hasTag(phaseOf(state), 'ended')),
      wait(state),
    ]),
  )

const ends = () =>
  table(
    ['End', 'Shown as'],
    [
      ['Completed, 2 of 10 failed', shown(rolloutDisplay(outcome('completed', {})))],
      ['Completed, all failed', shown(rolloutDisplay(outcome('completed', { succeeded: 0, failed: 10 })))],
      ['Completed, no device took part', shown(rolloutDisplay(outcome('completed', { succeeded: 0, failed: 0 })))],
      ['Rolled back, some devices keep the release', shown(rolloutDisplay(outcome('rolled_back', {}, true)))],
    ],
  )

const waves = () =>
  table(
    ['State', 'Shown as', 'With failures', 'After the end of its rollout'],
    Object.values(WaveStatus.schema.state.schema).map((state) => [
      code(state),
      ...[
        waveDisplay({ state, counts: { ...counts, failed: 0 }, counts_from: null }, false),
        waveDisplay({ state, counts, counts_from: null }, false),
        waveDisplay({ state, counts: { ...counts, failed: 0 }, counts_from: null }, true),
      ].map(shown),
    ]),
  )

it('docs/states.md says how each state of a device, release and rollout is shown', async () => {
  const page = `# States

Generated from what the pages use by \`tests/state-table.test.ts\`, which fails when this page and the code differ;
\`npx vitest run --project node tests/state-table.test.ts -u\` regenerates it. In parentheses: the shape beside the word, so that no state is
told by colour alone.

## Devices

${devices()}
## A device in a rollout

A device that another rollout has sent back later is also shown as "Back at" its version.

${inRollouts()}
## Releases

A revoked release that devices still run is a reason of attention on Monitor, in the list of devices and on their pages.

${releases()}
## Rollouts

${rollouts()}
A draft that needs approval says: ${wait('draft', true)}.

${ends()}
## Waves of a rollout

${waves()}`
  await expect(page).toMatchFileSnapshot('../docs/states.md')
})
