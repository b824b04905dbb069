import { type Command, Option } from 'commander'
import { previewRollBack } from '../../contract/updates/roll-backs'
import { type Rollout, type RolloutGroup, projectRollouts, rollout, rolloutGroups } from '../../contract/updates/rollouts'
import {
  cancelRollout,
  continueRollout,
  haltRollout,
  pauseRollout,
  resumeRollout,
  retryFailed,
  rollBackRollout,
} from '../../contract/updates/rollout-steps'
import { duration, online, positive } from '../core/command'
import { confirm } from '../core/confirm'
import type { Context } from '../core/context'
import { exitCodes } from '../core/exit-codes'
import { note } from '../core/print'
import { readPages } from '../core/pages'
import { rollBackText, rolloutFacts, rolloutTable, waveTable } from './print'
import { start } from './start'
import { waitForRollout } from './wait'

const list = (parent: Command) => {
  const command = parent
    .command('list')
    .description('list rollouts, newest first')
    .addOption(new Option('--group <group>', 'waiting: somebody has to act').choices(rolloutGroups))
    .option('--limit <number>', 'how many', positive, 50)
  online<[], { group?: RolloutGroup; limit: number }>(command, async ({ api, projectId, show }, { group, limit }) => {
    const params = { projectId: await projectId() }
    const found = await readPages(limit, async (page) => {
      const answer = await api.call(projectRollouts, params, { query: { ...page, ...(group && { group }) } })
      return { items: answer.rollouts, next: answer.next_cursor }
    })
    show(found, () => rolloutTable(found))
  })
}

const print = ({ show }: Context, value: Rollout) => show(value, () => `${rolloutFacts(value)}\n${waveTable(value)}`)

const show = (parent: Command) => {
  const command = parent.command('show').description('show a rollout with its waves').argument('<rollout>', 'id')
  online<[string], object>(command, async (context, _, rolloutId) =>
    print(context, await context.api.call(rollout, { rolloutId })),
  )
}

const wait = (parent: Command) => {
  const command = parent
    .command('wait')
    .description('wait for the outcome of a rollout, for its approval too')
    .argument('<rollout>', 'id')
    .option('--timeout <duration>', 'at most so long, such as 45m', duration, 3600)
  online<[string], { timeout: number }>(command, async (context, { timeout }, rolloutId) => {
    const begun = await context.api.call(rollout, { rolloutId })
    const { value, exit } = await waitForRollout(context, begun, timeout)
    print(context, value)
    return exit
  })
}

type Step = { reason?: string }

/** A step of a person, with a reason for the timeline. */
const step =
  (name: string, summary: string, take: (context: Context, rolloutId: string, body: Step) => Promise<Rollout>) =>
  (parent: Command) => {
    const command = parent
      .command(name)
      .description(summary)
      .argument('<rollout>', 'id')
      .option('--reason <text>', 'recorded in the timeline and the audit log')
    online<[string], Step>(command, async (context, { reason }, rolloutId) =>
      print(context, await take(context, rolloutId, reason === undefined ? {} : { reason })),
    )
  }

const steps = [
  step('pause', 'pause a rollout: no new offers until it is resumed', ({ api }, rolloutId, body) =>
    api.call(pauseRollout, { rolloutId }, { body }),
  ),
  step('resume', 'resume a rollout; after a halt a reason is required', ({ api }, rolloutId, body) =>
    api.call(resumeRollout, { rolloutId }, { body }),
  ),
  step('halt', 'halt a rollout: new offers stop, running updates continue', ({ api }, rolloutId, body) =>
    api.call(haltRollout, { rolloutId }, { body }),
  ),
]

const plainStep =
  (name: string, summary: string, take: (context: Context, rolloutId: string) => Promise<Rollout>) => (parent: Command) => {
    const command = parent.command(name).description(summary).argument('<rollout>', 'id')
    online<[string], object>(command, async (context, _, rolloutId) => print(context, await take(context, rolloutId)))
  }

const modes = ['stop-new', 'abort-all'] as const

const cancel = (parent: Command) => {
  const command = parent
    .command('cancel')
    .description('cancel a rollout for good')
    .argument('<rollout>', 'id')
    .addOption(
      new Option('--mode <mode>', 'running updates finish, or devices are asked to stop').choices(modes).default('stop-new'),
    )
    .option('--reason <text>', 'recorded in the timeline and the audit log')
  online<[string], Step & { mode: (typeof modes)[number] }>(command, async (context, { mode, reason }, rolloutId) => {
    const body = {
      mode: mode === 'abort-all' ? ('abort_all' as const) : ('stop_new' as const),
      ...(reason !== undefined && { reason }),
    }
    print(context, await context.api.call(cancelRollout, { rolloutId }, { body }))
  })
}

const rollBack = (parent: Command) => {
  const command = parent
    .command('roll-back')
    .description('preview, ask, halt a rollout that runs, and offer each device its previous release, also after the end')
    .argument('<rollout>', 'id')
    .requiredOption('--reason <text>', 'recorded in the timeline and the audit log')
    .option('--yes', 'roll back without asking')
  online<[string], { reason: string; yes?: boolean }>(command, async (context, { reason, yes }, rolloutId) => {
    process.stderr.write(rollBackText(await context.api.call(previewRollBack, { rolloutId })))
    if (!(await confirm('Roll back?', yes))) {
      note('Nothing was changed')
      return exitCodes.failed
    }
    print(context, await context.api.call(rollBackRollout, { rolloutId }, { body: { reason } }))
  })
}

export const rolloutCommands = (program: Command): void => {
  const parent = program.command('rollout').description('rollouts of releases')
  const others = [
    cancel,
    rollBack,
    plainStep('retry', 'queue the failed devices of an open rollout again', ({ api }, rolloutId) =>
      api.call(retryFailed, { rolloutId }),
    ),
    plainStep('continue', 'open the next wave where the gate waits for a person', ({ api }, rolloutId) =>
      api.call(continueRollout, { rolloutId }),
    ),
  ]
  for (const add of [start, wait, list, show, ...steps, ...others]) add(parent)
}
