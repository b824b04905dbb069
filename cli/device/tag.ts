import type { Command } from 'commander'
import { type Device, device, updateDevice } from '../../contract/devices'
import { collect, online } from '../core/command'
import type { Context } from '../core/context'
import { Refused, Usage } from '../core/errors'
import { getDevice } from './find'
import { deviceFacts } from './print'

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

export const tag = (parent: Command): void => {
  const command = parent
    .command('tag')
    .description('add and remove tags of a device')
    .argument('<device>', 'id, serial number or name')
    .option('--add <tag>', 'may be repeated', collect)
    .option('--remove <tag>', 'may be repeated', collect)
  online<[string], { add?: string[]; remove?: string[] }>(command, async (context, { add = [], remove = [] }, named) => {
    if (add.length + remove.length === 0) throw new Usage('--add or --remove is required')
    const found = await getDevice(context, named)
    const changed = await changeTags(context, found, (names) => [
      ...new Set([...names, ...add].filter((name) => !remove.includes(name))),
    ])
    context.show(changed, () => deviceFacts(changed))
  })
}
