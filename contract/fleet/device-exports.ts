import { enums, optional } from 'superstruct'
import { DeviceFilter, withAttributes } from './devices'
import { endpoint, inProject, requires } from '../core/endpoint'
import { listQuery } from '../core/lists'

export const deviceExportFormats = ['csv', 'ndjson'] as const
export type DeviceExportFormat = (typeof deviceExportFormats)[number]

export const exportDevices = endpoint({
  method: 'GET',
  path: '/projects/:projectId/devices/export',
  summary:
    'Export the devices of a filter as a file, by name: CSV with fixed columns, or NDJSON with all fields. Devices that change meanwhile are as they are when their part is read.',
  needs: requires(inProject, 'device:view'),
  audit: 'none',
  rate: 'read',
  query: withAttributes({ q: listQuery.q, ...DeviceFilter, format: optional(enums(deviceExportFormats)) }),
  answer: 'bytes',
})
