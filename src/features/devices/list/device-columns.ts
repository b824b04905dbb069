import { css } from 'styled-system/css'
import type { DeviceColumn } from '../../../../contract/fleet/saved-views'

/** Columns that are hidden first when the page is narrow; head and cells together. */
const wideOnly = css({ hideBelow: 'xl' })
export const roomyOnly = css({ mdToLg: { display: 'none' } })

type Column = {
  label: string
  /** Absent where the list has no order by it. */
  sort?: string
  /** Default width in pixels. */
  width: number
  look?: string
  end?: boolean
  mono?: boolean
  /** Position in a row of two lines; without one the column is hidden there. */
  at?: 'sub' | 'subEnd' | 'end'
}

/** In the order of the list. The name is always first. */
export const columns: Readonly<Record<DeviceColumn, Column>> = {
  serial_number: { label: 'Serial number', sort: 'serial_number', width: 152, look: wideOnly, mono: true },
  hardware_model: { label: 'Model', sort: 'hardware_model', width: 112, look: wideOnly, mono: true },
  lifecycle: { label: 'Lifecycle', sort: 'lifecycle', width: 120, look: roomyOnly },
  tags: { label: 'Tags', width: 180, look: wideOnly },
  version: { label: 'Version', sort: 'version', width: 136, look: roomyOnly, mono: true, at: 'subEnd' },
  update: { label: 'Update', sort: 'update', width: 232, at: 'sub' },
  health: { label: 'Health', sort: 'health', width: 104, look: roomyOnly },
  connectivity: { label: 'Connectivity', sort: 'connectivity', width: 112, look: roomyOnly },
  enrolled_at: { label: 'Enrolled', sort: 'enrolled_at', width: 112, look: wideOnly, end: true },
  created_at: { label: 'Created', sort: 'created_at', width: 112, look: wideOnly, end: true },
  last_seen_at: { label: 'Last seen', sort: 'last_seen_at', width: 96, end: true, at: 'end' },
}
