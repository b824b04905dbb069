import { desc, eq } from 'drizzle-orm'
import * as deviceCommands from '../../../contract/device-commands'
import * as deviceLifecycle from '../../../contract/device-lifecycle'
import * as deviceLogs from '../../../contract/device-logs'
import * as deviceUpdates from '../../../contract/device-updates'
import * as contract from '../../../contract/devices'
import { devices, installations } from '../schema/devices'
import { issueDeviceToken } from './device-token'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { rowUpdate } from '../../core/database/row'
import { refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { formatTimestamp } from '../../core/timestamps'
import { requireKnownModel } from './models'
import { getProjectSettings } from '../../accounts/projects/plan-and-settings'
import { requireDeviceCapacity } from './capacity'
import { changeable, columnsOf } from './change'
import { queueCommand } from './commands'
import { listDevices } from './list'
import { readLogs } from '../logs/logs'
import { deviceById, insertDevice, rowById } from './repository'
import { clearQuarantine, restore, changeLifecycle, target } from './lifecycle-actions'
import { issueToken } from './issue-token'
import { setTags } from './tags'

const openList = (api: Api) => {
  route(api, contract.devices, ({ tx, project, query, now }) => listDevices(tx, project.id, query, now))

  route(api, contract.createDevice, async ({ tx, project, body, now, audit }) => {
    await requireDeviceCapacity(tx, project.id, project.plan)
    requireKnownModel(await getProjectSettings(tx, project.id), body.hardware_model)
    const deviceId = await insertDevice(tx, project.id, body, now)
    await setTags(tx, project.id, deviceId, body.tags ?? [])
    const device_token = await issueDeviceToken(tx, { projectId: project.id, deviceId }, now)
    const made = await deviceById(tx, deviceId, now)
    audit({ target: target(made) })
    return { ...made, device_token }
  })
}

const openOne = (api: Api) => {
  route(api, contract.device, ({ tx, params, now }) => deviceById(tx, params.deviceId, now))

  route(api, contract.updateDevice, async ({ tx, params, body, now, audit, checkRevision }) => {
    const before = await deviceById(tx, params.deviceId, now, { lock: true })
    checkRevision(before)
    await tx
      .update(devices)
      .set({ ...columnsOf(body, now), ...rowUpdate(now) })
      .where(eq(devices.id, before.id))
    if (body.tags) await setTags(tx, before.project_id, before.id, body.tags)
    const after = await deviceById(tx, before.id, now)
    audit({ target: target(after), changes: changesOf(before, after, changeable) })
    return after
  })

  route(api, deviceLifecycle.deleteDevice, async ({ tx, params, now, audit, checkRevision }) => {
    const before = await rowById(tx, params.deviceId, { lock: true })
    checkRevision(before)
    await tx
      .update(devices)
      .set({ deletedAt: now, ...rowUpdate(now) })
      .where(eq(devices.id, before.id))
    audit({ target: target(before) })
  })
}

const openSteps = (api: Api) => {
  route(api, deviceLifecycle.restoreDevice, restore)
  route(api, deviceLifecycle.acceptDevice, (call) => changeLifecycle(call, 'accept'))
  route(api, deviceLifecycle.rejectDevice, (call) => changeLifecycle(call, 'reject'))
  route(api, deviceLifecycle.disableDevice, (call) => changeLifecycle(call, 'disable'))
  route(api, deviceLifecycle.enableDevice, (call) => changeLifecycle(call, 'enable'))
  route(api, deviceLifecycle.decommissionDevice, (call) => changeLifecycle(call, 'decommission'))
  route(api, deviceLifecycle.clearQuarantine, clearQuarantine)

  route(api, deviceLifecycle.issueDeviceToken, issueToken)

  route(api, deviceCommands.sendCommand, async ({ tx, params, body, user, now, audit }) => {
    const device = await rowById(tx, params.deviceId)
    if (device.lifecycle !== 'active') refuse(409, 'conflict', { message: 'Only an active device takes commands' })
    const command = await queueCommand(tx, device, { ...body, createdBy: user.id, now })
    audit({ target: target(device), changes: [{ field: 'command', before: null, after: body.command }] })
    return command
  })
}

const openHistory = (api: Api) => {
  route(api, deviceLogs.deviceSystemLogs, async ({ tx, params, query }) =>
    readLogs(tx, await rowById(tx, params.deviceId), query),
  )

  route(api, deviceUpdates.deviceInstallations, async ({ tx, params }) => {
    const device = await rowById(tx, params.deviceId)
    const rows = await tx
      .select()
      .from(installations)
      .where(eq(installations.deviceId, device.id))
      .orderBy(desc(installations.id))
      .limit(200)
    return {
      releases: rows.map((row) => ({
        release_id: row.releaseId,
        name: row.name,
        version: row.version,
        display_version: row.displayVersion,
        installed_at: formatTimestamp(row.installedAt),
        slot: row.slot,
        confirmed: row.confirmed,
      })),
    }
  })
}

export const deviceRoutes = (api: Api): void => {
  api.uniques
    .set('devices_project_name', { field: 'name', code: 'taken', message: 'A device with this name exists already' })
    .set('devices_project_serial', {
      field: 'serial_number',
      code: 'taken',
      message: 'A device with this serial number exists already',
    })
  api.places.set('device', async (tx, id) => {
    const [device] = await tx.select({ projectId: devices.projectId }).from(devices).where(eq(devices.id, id))
    return device
  })
  openList(api)
  openOne(api)
  openSteps(api)
  openHistory(api)
}
