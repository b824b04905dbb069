import type { Command } from 'commander'
import { type Device, device, updateDevice } from '../../contract/fleet/devices'
import { collect, online } from '../core/command'
import type { Context } from '../core/context'
import { Refused, Usage } from '../core/errors'
import { withFilters } from './filter'
import { getDevice } from './find'
import { deviceFacts } from './print'
import { type ManyOptions, tagMany } from './tag-many'

/** A device changes by its own reports too. */
const attempts = 5

const changeTags = async ({ api }: Context, found: Device, change: (names: readonly string[]) => string[]): Promise<Device> => {
  let current = found
  for (let attempt = 1; ; attempt++) {
    const before = current.tags.map(({ name }) => name)
    const tags = change(before)
    if (tags.length === before.length && tags.every((name) => before.includes(name))) return current
    try {
      return await api.call(updateDevice, { deviceId: found.id }, { ifMatch: current.revision, body: { tags } })
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 412 || attempt === attempts) throw error
      current = await api.call(device, { deviceId: found.id })
    }
  }
}

type Options = ManyOptions & { add?: string[]; remove?: string[]; allMatching?: boolean }

const filterNames = (options: Options) =>
  Object.keys(options).filter((name) => !['add', 'remove', 'yes', 'server', 'project', 'json'].includes(name))

export const tag = (parent: Command): void => {
  const command = withFilters(
    parent
      .command('tag')
      .description('add and remove tags of a device, or of all devices of a filter by a job')
      .argument('[device]', 'id, serial number or name')
      .option('--add <tag>', 'may be repeated', collect)
      .option('--remove <tag>', 'may be repeated', collect)
      .option('--all-matching', 'change all devices that match the filters below, instead of one')
      .option('--dry-run', 'with --all-matching: count the devices, and change nothing')
      .option('--yes', 'with --all-matching: change them without asking'),
  )
  online<[string | undefined], Options>(command, async (context, options, named) => {
    const { add = [], remove = [], allMatching, ...many } = options
    if (add.length + remove.length === 0) throw new Usage('--add or --remove is required')
    if (allMatching) {
      if (named !== undefined) throw new Usage('Name a device or use --all-matching, not both')
      return tagMany(context, many, { add, remove })
    }
    if (named === undefined) throw new Usage('Name a device, or use --all-matching with filters')
    const [filter] = filterNames(options)
    if (filter !== undefined) throw new Usage('Filters are for --all-matching: this would change one device only')
    const found = await getDevice(context, named)
    const changed = await changeTags(context, found, (names) => [
      ...new Set([...names, ...add].filter((name) => !remove.includes(name))),
    ])
    return context.show(changed, () => deviceFacts(changed))
  })
}
