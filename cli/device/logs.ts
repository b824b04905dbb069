import { setTimeout as pause } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { type LogLine, deviceSystemLogs } from '../../contract/fleet/device-logs'
import { logLevels } from '../../contract/device/config-fields'
import { listLimit } from '../../contract/core/limits'
import { online, positive } from '../core/command'
import type { Context } from '../core/context'
import { Unreachable } from '../core/errors'
import { note, paint, printable } from '../core/print'
import { getDevice } from './find'

type Options = { follow?: boolean; level?: string; unit?: string; search?: string; limit: number }

const everyMs = 2000
const severe: readonly string[] = ['emerg', 'alert', 'crit', 'err']

const lineText = ({ ts_ms: at, level, unit, message }: LogLine): string => {
  const colour = severe.includes(level) ? 'red' : level === 'warning' ? 'yellow' : undefined
  return `${new Date(at).toISOString()} ${level.padEnd(7)} ${printable(unit ?? '-')}: ${paint(printable(message), colour)}\n`
}

const print = ({ isJson }: Context, lines: readonly LogLine[]) => {
  for (const line of lines) process.stdout.write(isJson ? `${JSON.stringify(line)}\n` : lineText(line))
}

/** By sequence number, the oldest first. */
const inOrder = (lines: readonly LogLine[]) => lines.toSorted((one, other) => one.sequence - other.sequence)

type Query = { limit: number; after_sequence?: number; before_sequence?: number }

/** The last lines, page by page from the newest. */
const readLast = async (limit: number, read: (query: Query) => Promise<LogLine[]>): Promise<LogLine[]> => {
  let found: LogLine[] = []
  while (found.length < limit) {
    const [oldest] = found
    const size = Math.min(limit - found.length, listLimit.max)
    const lines = await read({ limit: size, ...(oldest && { before_sequence: oldest.sequence }) })
    found = [...lines, ...found]
    if (lines.length < size) break
  }
  return found
}

export const logs = (program: Command): void => {
  const command = program
    .command('logs')
    .description('print log lines of a device; with --json one JSON object a line')
    .argument('<device>', 'id, serial number or name')
    .option('--follow', 'print new lines as they arrive, until it is interrupted')
    .addOption(new Option('--level <level>', 'this level and more severe ones').choices(logLevels))
    .option('--unit <unit>', 'lines of one unit')
    .option('--search <text>', 'lines with this text')
    .option('--limit <number>', 'how many of the last lines', positive, 50)
  online<[string], Options>(command, async (context, { follow, level, unit, search, limit }, named) => {
    const { id: deviceId } = await getDevice(context, named)
    const filter = {
      ...(level !== undefined && { level_max: level }),
      ...(unit !== undefined && { unit }),
      ...(search !== undefined && { q: search }),
    }
    const read = async (query: Query) =>
      inOrder((await context.api.call(deviceSystemLogs, { deviceId }, { query: { ...filter, ...query } })).lines)
    const newest = await readLast(limit, read)
    print(context, newest)
    let last = newest.at(-1)?.sequence ?? 0
    let isAway = false
    if (!follow) return
    for (;;) {
      await pause(everyMs)
      try {
        const lines = await read({ limit: listLimit.max, after_sequence: last })
        print(context, lines)
        last = lines.at(-1)?.sequence ?? last
        isAway = false
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error
        if (!isAway) note(`${error.message}; waiting goes on`)
        isAway = true
      }
    }
  })
}
