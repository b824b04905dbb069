import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { importDevices, type ImportResult } from '../../contract/device-imports'
import { online } from '../core/command'
import { Failed } from '../core/errors'
import { exitCodes } from '../core/exit-codes'
import { facts, table } from '../core/print'

const read = (path: string) => {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new Failed(error instanceof Error ? error.message : String(error))
  }
}

const resultText = (result: ImportResult) =>
  [
    facts([
      [result.dry_run ? 'Would be created' : 'Created', result.created],
      ['Unchanged', result.unchanged],
      ['Failed', result.failed],
      ...(result.import_id === null ? [] : [['Import', result.import_id] as const]),
    ]),
    ...(result.errors.length === 0
      ? []
      : [
          table(
            ['Line', 'Controller', 'Field', 'Rule', 'Message'],
            result.errors.map((one) => [one.line, one.controller_id, one.field, one.code, one.message]),
          ),
        ]),
  ].join('\n')

export const importFile = (parent: Command): void => {
  const command = parent
    .command('import')
    .description('import devices of a hawkBit server with their tokens from CSV or NDJSON')
    .argument('<file>', 'as hawkbit-export of the agent writes it')
    .option('--model <model>', 'hardware model of lines that name none')
    .option('--dry-run', 'check the file, and create nothing')
  online<[string], { model?: string; dryRun?: boolean }>(command, async (context, { model, dryRun }, path) => {
    const bytes = read(path)
    const type = bytes.subarray(0, 1024).toString('utf8').trimStart().startsWith('{') ? 'application/x-ndjson' : 'text/csv'
    const query = {
      file_name: basename(path),
      ...(dryRun && { dry_run: true }),
      ...(model !== undefined && { hardware_model: model }),
    }
    const result = await context.api.call(
      importDevices,
      { projectId: await context.projectId() },
      { query, rows: { bytes, type } },
    )
    context.show(result, () => resultText(result))
    return result.failed === 0 ? exitCodes.done : exitCodes.failed
  })
}
