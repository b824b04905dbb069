import type { Command } from 'commander'
import { type UpdateDecision, updateDecision } from '../../contract/updates/device-updates'
import { online } from '../core/command'
import { type Cell, table } from '../core/print'
import { getRelease } from '../release/find'
import { getDevice } from './find'

const answers: Record<UpdateDecision['outcome'], string> = {
  offer: 'The device gets the release at its next check-in',
  wait: 'Waiting',
  none: 'No update available',
}

const results: Record<UpdateDecision['checks'][number]['result'], Cell> = {
  pass: { text: '✓ pass', colour: 'green' },
  fail: { text: '✗ fail', colour: 'red' },
  not_reached: { text: '· not reached', colour: 'dim' },
  not_applicable: { text: '· not applicable', colour: 'dim' },
}

const decisionText = (decision: UpdateDecision) =>
  `${answers[decision.outcome]}${decision.next_check_at === null ? '' : `; next check at ${decision.next_check_at}`}\n\n${table(
    ['Check', 'Result', 'Observed', 'Required', 'Until', 'Explanation'],
    decision.checks.map(({ id, result, observed, required, until, text }) => [
      id,
      results[result],
      observed,
      required,
      until,
      text,
    ]),
  )}`

export const why = (program: Command): void => {
  const command = program
    .command('why')
    .description('explain why a device is or is not updating: the checks in order')
    .argument('<device>', 'id, serial number or name')
    .option('--release <release>', 'of this release: id or version number')
  online<[string], { release?: string }>(command, async (context, { release: named }, deviceName) => {
    const { id: deviceId } = await getDevice(context, deviceName)
    const query = named === undefined ? {} : { release_id: (await getRelease(context, named)).id }
    const decision = await context.api.call(updateDecision, { deviceId }, { query })
    context.show(decision, () => decisionText(decision))
  })
}
