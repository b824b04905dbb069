import { type Command, Option } from 'commander'
import { online, positive } from '../core/command'
import { type FilterOptions, listDevices, withListFilters } from './filter'
import { getDevice } from './find'
import { importFile, undoImport } from './import'
import { deviceFacts, devicesToCsv, deviceTable } from './print'
import { tag } from './tag'

const list = (parent: Command) => {
  const command = withListFilters(parent.command('list').description('list devices, by the filters of the page')).option(
    '--limit <number>',
    'how many',
    positive,
    50,
  )
  online<[], FilterOptions & { limit: number }>(command, async (context, options) => {
    const found = await listDevices(context, options, options.limit)
    context.show(found, () => deviceTable(found))
  })
}

const show = (parent: Command) => {
  const command = parent.command('show').description('show a device').argument('<device>', 'id, serial number or name')
  online<[string], object>(command, async (context, _, named) => {
    const found = await getDevice(context, named)
    context.show(found, () => deviceFacts(found))
  })
}

const formats = ['csv', 'ndjson'] as const

const exportAll = (parent: Command) => {
  const command = withListFilters(
    parent.command('export').description('print all devices of a filter, without their tokens'),
  ).addOption(new Option('--format <format>').choices(formats).default('csv'))
  online<[], FilterOptions & { format: (typeof formats)[number] }>(command, async (context, options) => {
    const found = await listDevices(context, options, Number.POSITIVE_INFINITY)
    const text = () => (options.format === 'csv' ? devicesToCsv(found) : found.map((one) => `${JSON.stringify(one)}\n`).join(''))
    context.show(found, text)
  })
}

export const deviceCommands = (program: Command): void => {
  const parent = program.command('devices').description('devices of the project')
  for (const add of [list, show, tag, importFile, undoImport, exportAll]) add(parent)
}
