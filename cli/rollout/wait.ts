import { type Rollout, rollout } from '../../contract/updates/rollouts'
import type { Context } from '../core/context'
import { Unreachable } from '../core/errors'
import { type ExitCode, exitCodes } from '../core/exit-codes'
import { note, printable } from '../core/print'
import { readUntil } from '../core/wait'
import { stateText, waveLine, waveTable } from './print'

const everyMs = 2000

/** States that change only by a person, or not at all. A rollout that rolls back was halted before. */
const endings: Partial<Record<Rollout['state'], ExitCode>> = {
  completed: exitCodes.done,
  halted: exitCodes.halted,
  rolled_back: exitCodes.halted,
  cancelled: exitCodes.failed,
  denied: exitCodes.failed,
  expired: exitCodes.failed,
}

export const isOver = ({ state }: Rollout): boolean => endings[state] !== undefined

/** A rollout that completes has met its gates, which may allow failures: the code says what happened to the devices. */
export const exitOf = ({ state, counts: { succeeded, failed, targeted } }: Rollout): ExitCode => {
  if (state !== 'completed') return endings[state] ?? exitCodes.failed
  if (succeeded === targeted && targeted > 0) return exitCodes.done
  note(`${succeeded} of ${targeted} ${targeted === 1 ? 'device has' : 'devices have'} succeeded, ${failed} failed`)
  return exitCodes.incomplete
}

/** Prints what has changed: on a terminal the table of waves in its place, otherwise lines. */
const watcher = () => {
  let lines = 0
  const seen = new Map<string, string>()
  const say = (name: string, text: string) => {
    if (seen.get(name) === text) return
    seen.set(name, text)
    note(printable(text))
  }
  const heading = (value: Rollout) => `${value.name} is ${stateText(value)}`
  return (value: Rollout) => {
    if (!process.stderr.isTTY) {
      say('state', heading(value))
      for (const wave of value.waves) if (wave.state !== 'waiting') say(`wave ${wave.n}`, waveLine(wave, value.waves.length))
      return
    }
    const text = `${printable(heading(value))}\n${waveTable(value, process.stderr)}`
    process.stderr.write(`${lines > 0 ? `\u001b[${lines}A\u001b[0J` : ''}${text}`)
    lines = text.split('\n').length - 1
  }
}

/** Waits for the outcome of a rollout. A server that cannot be reached meanwhile ends nothing: the rollout goes on there. */
export const waitForRollout = async (
  { api }: Context,
  begun: Rollout,
  timeoutS: number,
): Promise<{ value: Rollout; exit: ExitCode }> => {
  const show = watcher()
  let last = begun
  let isAway = false
  const read = async () => {
    try {
      last = await api.call(rollout, { rolloutId: begun.id })
      isAway = false
      show(last)
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      if (!isAway) note(`${error.message}; waiting goes on`)
      isAway = true
    }
    return last
  }
  const { value, timedOut } = await readUntil(read, { isOver, everyMs, timeoutS })
  if (!timedOut) return { value, exit: exitOf(value) }
  note(`Not over after ${timeoutS} s. The rollout goes on: teasel rollout wait ${value.id}`)
  return { value, exit: value.state === 'pending_approval' ? exitCodes.approvalWanted : exitCodes.timedOut }
}
