import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { DeviceExportFormat } from '../../../../contract/fleet/device-exports'
import { lazyPart } from '../../../system/page/lazy'
import { MoreMenu } from '../../../system/page/more-menu'
import type { DevicesSearch } from './devices-search'

const DeviceExport = lazyPart(() => import('./device-export').then((part) => part.DeviceExport))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/')
const devices = '/organizations/$organizationId/projects/$projectId/devices' as const

const entries = [
  { value: 'csv', label: 'Export as CSV' },
  { value: 'ndjson', label: 'Export as NDJSON' },
  { value: 'jobs', label: 'Bulk changes' },
  { value: 'import', label: 'Import' },
  { value: 'deleted', label: 'Deleted devices' },
] as const

/** The rarer actions of the list. `total`: the devices of the current filter. */
export const DevicesMenu = ({ search, total }: { search: DevicesSearch; total: number | undefined }) => {
  const params = route.useParams()
  const navigate = useNavigate()
  const [wanted, setWanted] = useState<{ format: DeviceExportFormat; filters: DevicesSearch; total: number | undefined }>()
  const choose = (value: (typeof entries)[number]['value']) => {
    if (value === 'jobs') void navigate({ to: `${devices}/jobs`, params })
    else if (value === 'import') void navigate({ to: `${devices}/import`, params })
    else if (value === 'deleted') void navigate({ to: `${devices}/list/deleted`, params })
    else setWanted({ format: value, filters: search, total })
  }
  return (
    <>
      {wanted && (
        <Suspense>
          <DeviceExport projectId={params.projectId} {...wanted} onEnd={() => setWanted(undefined)} />
        </Suspense>
      )}
      <MoreMenu
        label="More"
        small="tool"
        entries={wanted ? entries.filter(({ value }) => value !== 'csv' && value !== 'ndjson') : entries}
        onChoose={choose}
      />
    </>
  )
}
