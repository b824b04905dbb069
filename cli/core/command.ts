import { type Command, InvalidArgumentError } from 'commander'
import { type CommonOptions, type Context, openContext } from './context'
import { type ExitCode, exitCodes } from './exit-codes'

/** What a command returns, if it is not 0. */
type Ending = ExitCode | void

const end = (code: Ending) => {
  process.exitCode = code ?? exitCodes.done
}

/** Gives a command the options of every call of the API, and its action. `O` are its own options. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- commander has no types for what a command line gives
export const online = <A extends unknown[], O>(
  command: Command,
  work: (context: Context, options: O, ...args: A) => Promise<Ending>,
): Command =>
  command
    .option('--server <url>', 'address of the API host (TEASEL_URL)')
    .option('--project <project>', 'id or name of the project; the token belongs to one (TEASEL_PROJECT)')
    .option('--json', 'print JSON')
    .action(async (...given: unknown[]) => {
      const options = command.opts<CommonOptions & O>()
      // Commander adds the options and the command after the arguments.
      end(await work(openContext(options), options, ...(given.slice(0, -2) as A)))
    })

/** The same for a command that calls no server. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
export const offline = <O>(command: Command, work: (options: O & { json?: boolean }) => Promise<Ending>): Command =>
  command.option('--json', 'print JSON').action(async () => end(await work(command.opts<O & { json?: boolean }>())))

export const wholeNumber = (value: string): number => {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(value)
}

export const positive = (value: string): number => {
  const number = wholeNumber(value)
  if (number === 0) throw new InvalidArgumentError('It must be at least 1.')
  return number
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Seconds of a duration such as 90s, 45m, 2h or 1d. */
export const duration = (value: string): number => {
  const [, amount, unit = 's'] = /^(\d{1,7})([smhd])?$/.exec(value) ?? []
  if (amount === undefined || Number(amount) === 0)
    throw new InvalidArgumentError('It must be a duration such as 90s, 45m or 2h.')
  return Number(amount) * (units[unit] ?? 1)
}

export const collect = (value: string, previous: readonly string[] = []): string[] => [...previous, value]
