import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { deviceImports, importDevices, type ImportResult, undoDeviceImport } from '../../contract/fleet/device-imports'
import { online } from '../core/command'
import { confirm } from '../core/confirm'
import { Failed } from '../core/errors'
import { exitCodes } from '../core/exit-codes'
import { devicesText } from '../jobs/print'
import { facts, note, table } from '../core/print'

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
    if (result.import_id !== null) note(`To undo it: teasel devices undo-import ${result.import_id}`)
    return result.failed === 0 ? exitCodes.done : exitCodes.failed
  })
}

export const undoImport = (parent: Command): void => {
  const command = parent
    .command('undo-import')
    .description('ask, and delete the devices of an import that have never contacted the server')
    .argument('<import>', 'id, as the import has printed it')
    .option('--yes', 'delete them without asking')
  online<[string], { yes?: boolean }>(command, async ({ api, projectId, show }, { yes }, deviceImportId) => {
    const params = { projectId: await projectId() }
    const { imports } = await api.call(deviceImports, params)
    const found = imports.find(({ id }) => id === deviceImportId)
    if (!found) throw new Failed(`The project has no import ${deviceImportId} among its last ones`)
    if (!(await confirm(`Delete ${devicesText(found.devices - found.seen)} that never contacted the server?`, yes))) {
      note('Nothing was changed')
      return exitCodes.failed
    }
    const undone = await api.call(undoDeviceImport, { ...params, deviceImportId })
    show(undone, () => `${devicesText(undone.deleted)} deleted\n`)
    return exitCodes.done
  })
}
