#!/usr/bin/env node
import { type Command, CommanderError } from 'commander'
import { Failed, Refused, Unreachable, Usage } from './core/errors'
import { type ExitCode, exitCodes } from './core/exit-codes'
import { note, printable } from './core/print'
import { refuseTokenArguments } from './core/settings'
import { createProgram } from './program'

const throwAtExit = (command: Command): void => {
  command.exitOverride()
  for (const inner of command.commands) throwAtExit(inner)
}

const describe = (error: unknown): { exit: ExitCode; lines: string[]; json: object } => {
  if (error instanceof Refused) {
    const { status, code, message, details, requiredPermission, requestId } = error
    const needs = requiredPermission === undefined ? '' : `; needs ${requiredPermission}`
    const fields = details.map((one) => `  ${one.field}: ${one.message} (${one.code})`)
    return {
      exit: exitCodes.failed,
      lines: [`${message} (${status} ${code}${needs})`, ...fields],
      json: { status, code, message, details, required_permission: requiredPermission, request_id: requestId },
    }
  }
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Usage ? 'usage' : error instanceof Unreachable ? 'unreachable' : 'failed'
  return { exit: error instanceof Usage ? exitCodes.usage : exitCodes.failed, lines: [message], json: { code, message } }
}

const run = async (args: readonly string[]): Promise<void> => {
  const program = createProgram()
  throwAtExit(program)
  refuseTokenArguments(args)
  await program.parseAsync([...args], { from: 'user' })
}

const args = process.argv.slice(2)
await run(args).catch((error: unknown) => {
  // Commander has printed its message, or the help that was asked for.
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    return
  }
  const { exit, lines, json } = describe(error)
  // A bug: its trace helps.
  const isKnown = [Failed, Refused, Unreachable, Usage].some((kind) => error instanceof kind)
  if (!isKnown && process.env['TEASEL_DEBUG'] !== undefined) console.error(error)
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ error: json }, null, 2)}\n`)
  note([`teasel: ${printable(lines[0] ?? '')}`, ...lines.slice(1).map((line) => printable(line))].join('\n'))
  process.exitCode = exit
})
