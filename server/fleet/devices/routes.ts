import * as deviceCommands from '../../../contract/fleet/device-commands'
import { exportDevices } from '../../../contract/fleet/device-exports'
import * as deviceLifecycle from '../../../contract/fleet/device-lifecycle'
import * as deviceUpdates from '../../../contract/updates/device-updates'
import * as contract from '../../../contract/fleet/devices'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { requireKnownTags } from '../tags/known-tags'
import { deviceTarget } from './audit-target'
import { requireDeviceCapacity } from './capacity'
import { changeable, columnsOf, newColumnsOf, requireControllerId, requireSameClient, requireTokenForm } from './steps/change'
import { queueCommand, readCommand, readCommands, withdrawCommand } from './steps/commands'
import { exported } from './list/export'
import { issueDeviceToken } from './device-token.repository'
import { listInstallations } from './installations.repository'
import { issueToken } from './tokens/issue-token'
import { changeLifecycle, clearQuarantine, restore } from './steps/lifecycle-actions'
import { listDevices } from './list/list.repository'
import { requireKnownModel } from './models'
import { completeDevice, completeDevices, readDevice } from './read'
import { getDevice, insertDevice, lockDeviceForChange, updateDevice } from './repository'
import { updateDeviceTags } from './tags.repository'
import { installationToJson } from './to-json'

const types = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' } as const

const openList = (api: Api) => {
  route(api, contract.devices, async ({ tx, project, query, now }) => {
    const { rows, ...page } = await listDevices({ tx, project, now }, query)
    return { ...page, devices: await completeDevices({ tx, project, now }, rows) }
  })

  route(api, exportDevices, ({ deps, project, query: { format = 'csv', ...filters }, now, reply }) => {
    reply.headers({
      'Content-Type': types[format],
      'Content-Disposition': `attachment; filename="devices-${now.toISOString().slice(0, 10)}.${format}"`,
    })
    return exported({ tx: deps.db, project, now }, filters, format)
  })

  route(api, contract.createDevice, async ({ tx, project, body, now, audit }) => {
    await requireDeviceCapacity(tx, project.id, project.plan)
    requireKnownModel(project.settings, body.hardware_model)
    requireControllerId({ protocol: body.protocol, serialNumber: body.serial_number }, 'serial_number')
    requireTokenForm('token_form', body.token_form, body.protocol)
    const { id: deviceId } = await insertDevice(tx, { projectId: project.id, ...newColumnsOf(body) }, now)
    const owner = { projectId: project.id, deviceId }
    await updateDeviceTags(tx, owner, await requireKnownTags(tx, project.id, body.tags ?? [], 'tags'))
    const device_token = await issueDeviceToken(tx, owner, now, body.token_form)
    const made = await readDevice({ tx, project, now }, deviceId)
    audit({ target: deviceTarget(made) })
    return { ...made, device_token }
  })
}

const openOne = (api: Api) => {
  route(api, contract.device, ({ tx, project, params, now }) => readDevice({ tx, project, now }, params.deviceId))

  route(api, contract.updateDevice, async ({ tx, project, params, body, now, audit, checkRevision }) => {
    const row = await lockDeviceForChange(tx, params.deviceId)
    const before = await completeDevice({ tx, project, now }, row)
    checkRevision(before)
    requireControllerId({ protocol: body.protocol, serialNumber: before.serial_number }, 'protocol')
    requireSameClient(row, body.protocol)
    await updateDevice(tx, before.id, columnsOf(body, { row, projectS: project.settings.polling_interval_s, now }), now)
    const owner = { projectId: before.project_id, deviceId: before.id }
    if (body.tags) await updateDeviceTags(tx, owner, await requireKnownTags(tx, owner.projectId, body.tags, 'tags'))
    const after = await readDevice({ tx, project, now }, before.id)
    audit({ target: deviceTarget(after), changes: changesOf(before, after, changeable) })
    return after
  })

  route(api, deviceLifecycle.deleteDevice, async ({ tx, params, now, audit, checkRevision }) => {
    const before = await lockDeviceForChange(tx, params.deviceId)
    checkRevision(before)
    await updateDevice(tx, before.id, { deletedAt: now }, now)
    audit({ target: deviceTarget(before) })
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

  route(api, deviceCommands.sendCommand, async ({ tx, project, params, body, user, now, audit }) => {
    const device = await getDevice(tx, params.deviceId)
    if (device.lifecycle !== 'active') refuse(409, 'conflict', { message: 'Only an active device accepts commands' })
    if (device.protocol === 'ddi') refuse(409, 'conflict', { message: 'A hawkBit client takes no commands' })
    const command = await queueCommand(tx, device, project.settings, { ...body, user, now })
    audit({ target: deviceTarget(device), changes: [{ field: 'command', before: null, after: body.command }] })
    return command
  })
  route(api, deviceCommands.cancelCommand, withdrawCommand)

  route(api, deviceCommands.deviceCommands, async ({ tx, project, params, query, now }) => {
    const device = await getDevice(tx, params.deviceId)
    return readCommands(tx, { device, settings: project.settings, now }, query)
  })
  route(api, deviceCommands.deviceCommand, async ({ tx, project, params, now }) => {
    const device = await getDevice(tx, params.deviceId)
    return readCommand(tx, { device, settings: project.settings, now }, params.commandId)
  })
}

const openHistory = (api: Api) => {
  route(api, deviceUpdates.deviceInstallations, async ({ tx, params }) => {
    const device = await getDevice(tx, params.deviceId)
    const rows = await listInstallations(tx, device.id)
    return { releases: rows.map(installationToJson) }
  })
}

export const deviceRoutes = (api: Api): void => {
  openList(api)
  openOne(api)
  openSteps(api)
  openHistory(api)
}
