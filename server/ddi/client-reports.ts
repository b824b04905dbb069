import type { Infer } from 'superstruct'
import * as contract from '../../contract/fleet/device-reports'
import { formatTimestamp, formatTimestampOrNull } from '../core/timestamps'
import type { Api } from '../core/http/api'
import { refuse } from '../core/http/refuse'
import { route } from '../core/http/route'
import { deviceTarget } from '../fleet/devices/audit-target'
import { getDevice, lockDeviceForChange } from '../fleet/devices/repository'
import { type DdiDeviceRow, findDdiDevice, getDdiDevice, updateDdiDevice } from './devices.repository'

type Sent = Pick<DdiDeviceRow, 'lastReport' | 'lastReportAt' | 'configAt' | 'configAsked'>

const reportToJson = ({ lastReport, lastReportAt, configAt, configAsked }: Sent): Infer<typeof contract.DeviceReport> => ({
  last_report:
    lastReport === null || lastReportAt === null ? null : { text: lastReport, received_at: formatTimestamp(lastReportAt) },
  attributes_received_at: formatTimestampOrNull(configAt),
  attributes_asked: configAsked,
})

const nothing: Sent = { lastReport: null, lastReportAt: null, configAt: null, configAsked: false }

/** What people see and ask of DDI clients. */
export const clientReportRoutes = (api: Api): void => {
  route(api, contract.deviceReport, async ({ tx, params }) => {
    const { id } = await getDevice(tx, params.deviceId)
    return reportToJson((await findDdiDevice(tx, id)) ?? nothing)
  })

  route(api, contract.askForAttributes, async ({ tx, params, audit }) => {
    const device = await lockDeviceForChange(tx, params.deviceId)
    if (device.protocol !== 'ddi' || device.lifecycle !== 'active')
      return refuse(409, 'conflict', { message: 'Only an active device that uses DDI can be asked' })
    const known = await getDdiDevice(tx, device)
    await updateDdiDevice(tx, device.id, { configAsked: true })
    audit({ target: deviceTarget(device), changes: [{ field: 'command', before: null, after: 'send_attributes' }] })
    return reportToJson({ ...known, configAsked: true })
  })
}
