import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { previewRollout, type RolloutPreview } from '../../contract/updates/rollout-plans'
import { createRollout, type NewRollout, releaseRollouts, type Rollout } from '../../contract/updates/rollouts'
import { startRollout, submitRollout } from '../../contract/updates/rollout-steps'
import type { Infer } from 'superstruct'
import { collect, duration, online } from '../core/command'
import { confirm } from '../core/confirm'
import type { Context } from '../core/context'
import { Failed, Usage } from '../core/errors'
import { type ExitCode, exitCodes } from '../core/exit-codes'
import { note, printable } from '../core/print'
import { readPages } from '../core/pages'
import { getRelease } from '../release/find'
import { previewText, rolloutFacts, stateText } from './print'
import { readTarget, targetHelp } from './target'
import { exitOf, isOver, waitForRollout } from './wait'

/** What `plan.json` may contain: the body of the call that creates a rollout, without the hash of its preview. */
type Plan = Partial<Omit<Infer<typeof NewRollout>, 'preview_hash'>>
type Options = { target?: string[]; plan?: string; name?: string; wait?: boolean; timeout: number; yes?: boolean }

const readPlan = (path: string | undefined): Plan => {
  if (path === undefined) return {}
  let plan: unknown
  try {
    plan = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Failed(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (typeof plan !== 'object' || plan === null || Array.isArray(plan)) throw new Failed(`${path} is not a JSON object`)
  return plan
}

const planOf = ({ target = [], plan: path, name }: Options): Plan & Pick<Infer<typeof NewRollout>, 'target'> => {
  const plan = readPlan(path)
  const chosen = target.length > 0 ? readTarget(target) : plan.target
  if (!chosen) throw new Usage(`--target is required: ${targetHelp}`)
  return { ...plan, target: chosen, ...(name !== undefined && { name }) }
}

/** A rollout of the release with this name: a job that runs again waits for the one that it has started. */
const findByName = async ({ api }: Context, releaseId: string, name: string | undefined): Promise<Rollout | undefined> => {
  if (name === undefined) return undefined
  const all = await readPages(Number.POSITIVE_INFINITY, async (page) => {
    const answer = await api.call(releaseRollouts, { releaseId }, { query: page })
    return { items: answer.rollouts, next: answer.next_cursor }
  })
  return all.find((one) => one.name === name)
}

const create = async ({ api }: Context, releaseId: string, options: Options): Promise<Rollout | undefined> => {
  const plan = planOf(options)
  const { target, waves, membership, allow_downgrade: downgrade } = plan
  const asked = {
    target,
    ...(waves && { waves }),
    ...(membership && { membership }),
    ...(downgrade && { allow_downgrade: true }),
  }
  const preview: RolloutPreview = await api.call(previewRollout, { releaseId }, { body: asked })
  process.stderr.write(previewText(preview))
  if (!(await confirm('Start this rollout?', options.yes))) return undefined
  const made = await api.call(createRollout, { releaseId }, { body: { ...plan, preview_hash: preview.preview_hash } })
  note(`Created ${made.name} (${made.id})`)
  return made
}

/** How far the rollout of this name is, and, if it has ended, how another one is started. */
const noteKnown = (known: Rollout): void => {
  const { id, state } = known
  const name = `${known.name} (${id})`
  if (state === 'draft') return note(printable(`${name} exists as a draft`))
  if (!isOver(known)) return note(printable(`${name} exists, and is ${stateText(known)}`))
  note(printable(`${name} exists and has ended: ${stateText(known)}`))
  const resume = state === 'halted' ? `; to go on with this one: teasel rollout resume ${id} --reason <reason>` : ''
  note(`Nothing was started. Another rollout needs another --name${resume}`)
}

/** A draft that somebody may have made otherwise is not started without a question; a rollout that has begun goes on. */
const confirmKnown = async (known: Rollout, { yes }: Options): Promise<Rollout | undefined> => {
  if (known.state !== 'draft') return known
  process.stderr.write(rolloutFacts(known))
  return (await confirm('Start this rollout?', yes)) ? known : undefined
}

/** Starts a draft, or asks for approval: nobody approves their own rollout, a token's maker included. */
const begin = async ({ api }: Context, made: Rollout): Promise<Rollout> => {
  if (made.state !== 'draft') return made
  const rolloutId = made.id
  return made.requires_approval
    ? api.call(submitRollout, { rolloutId }, { body: {} })
    : api.call(startRollout, { rolloutId }, { body: {} })
}

export const start = (parent: Command): void => {
  const command = parent
    .command('start')
    .description('preview a rollout, ask, and start it or submit it for approval')
    .argument('<release>', 'id or version number')
    .option('--target <target>', targetHelp, collect)
    .option('--plan <plan.json>', 'waves and other fields of the rollout, as in the API')
    .option('--name <name>', 'name of the rollout; one of the release that has this name is used, and no other started')
    .option('--yes', 'start without asking')
    .option('--wait', 'wait for the outcome')
    .option('--timeout <duration>', 'with --wait: at most so long, such as 45m', duration, 3600)
  online<[string], Options>(command, async (context, options, named): Promise<ExitCode> => {
    const { id: releaseId } = await getRelease(context, named)
    const known = await findByName(context, releaseId, options.name)
    const print = (value: Rollout) => context.show(value, () => rolloutFacts(value))
    if (known) noteKnown(known)
    if (known && isOver(known)) {
      print(known)
      return exitOf(known)
    }
    const made = known ? await confirmKnown(known, options) : await create(context, releaseId, options)
    if (!made) {
      note('Nothing was started')
      return exitCodes.failed
    }
    const begun = await begin(context, made)
    if (begun.state === 'pending_approval') {
      note(`Another person has to approve it. Then: teasel rollout wait ${begun.id}`)
      print(begun)
      return exitCodes.approvalWanted
    }
    if (!options.wait) {
      print(begun)
      // Nothing was started, and it will end as rolled back.
      return begun.state === 'rolling_back' ? exitCodes.halted : exitCodes.done
    }
    const { value, exit } = await waitForRollout(context, begun, options.timeout)
    print(value)
    return exit
  })
}
