import { desc, eq } from 'drizzle-orm'
import * as deviceCommands from '../../../contract/device-commands'
import * as deviceLifecycle from '../../../contract/device-lifecycle'
import * as deviceLogs from '../../../contract/device-logs'
import * as deviceUpdates from '../../../contract/device-updates'
import * as contract from '../../../contract/devices'
import { devices, installations } from '../schema/devices'
import { giveToken } from './device-token'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { changed } from '../../core/database/row'
import { refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { stamp } from '../../core/timestamps'
import { checkModel } from './models'
import { settingsOf } from '../../accounts/projects/plan-and-settings'
import { roomForOne } from './room'
import { changeable, columnsOf } from './change'
import { queueCommand } from './commands'
import { listDevices } from './list'
import { readLogs } from '../logs/logs'
import { deviceById, insertDevice, rowById } from './repository'
import { clearQuarantine, restore, takeStep, target } from './steps'
import { issueToken } from './issue-token'
import { setTags } from './tags'

const openList = (api: Api) => {
  route(api, contract.devices, ({ tx, project, query, now }) => listDevices(tx, project.id, query, now))

  route(api, contract.createDevice, async ({ tx, project, body, now, audit }) => {
    await roomForOne(tx, project.id, project.plan)
    checkModel(await settingsOf(tx, project.id), body.hardware_model)
    const deviceId = await insertDevice(tx, project.id, body, now)
    await setTags(tx, project.id, deviceId, body.tags ?? [])
    const device_token = await giveToken(tx, { projectId: project.id, deviceId }, now)
    const made = await deviceById(tx, deviceId, now)
    audit({ target: target(made) })
    return { ...made, device_token }
  })
}

const openOne = (api: Api) => {
  route(api, contract.device, ({ tx, params, now }) => deviceById(tx, params.deviceId, now))

  route(api, contract.updateDevice, async ({ tx, params, body, now, audit, unchanged }) => {
    const before = await deviceById(tx, params.deviceId, now, { lock: true })
    unchanged(before)
    await tx
      .update(devices)
      .set({ ...columnsOf(body, now), ...changed(now) })
      .where(eq(devices.id, before.id))
    if (body.tags) await setTags(tx, before.project_id, before.id, body.tags)
    const after = await deviceById(tx, before.id, now)
    audit({ target: target(after), changes: changesOf(before, after, changeable) })
    return after
  })

  route(api, deviceLifecycle.deleteDevice, async ({ tx, params, now, audit, unchanged }) => {
    const before = await rowById(tx, params.deviceId, { lock: true })
    unchanged(before)
    await tx
      .update(devices)
      .set({ deletedAt: now, ...changed(now) })
      .where(eq(devices.id, before.id))
    audit({ target: target(before) })
  })
}

const openSteps = (api: Api) => {
  route(api, deviceLifecycle.restoreDevice, restore)
  route(api, deviceLifecycle.acceptDevice, (call) => takeStep(call, 'accept'))
  route(api, deviceLifecycle.rejectDevice, (call) => takeStep(call, 'reject'))
  route(api, deviceLifecycle.disableDevice, (call) => takeStep(call, 'disable'))
  route(api, deviceLifecycle.enableDevice, (call) => takeStep(call, 'enable'))
  route(api, deviceLifecycle.decommissionDevice, (call) => takeStep(call, 'decommission'))
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
        installed_at: stamp(row.installedAt),
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
