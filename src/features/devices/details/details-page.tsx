import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { deviceQuery } from '../../../api/queries/fleet/devices'
import { lazyPart } from '../../../system/page/lazy'
import { useSystem } from '../../../system/system'
import { Code } from '../../../ui/text/code'
import { Columns } from '../../../ui/layout/page'
import { Panel } from '../../../ui/layout/panel'
import { AttributesPanel } from './attributes-panel'
import { ClientPanel } from './client-panel'
import { DecisionPanel } from '../updates/decision-panel'
import { EditDevice } from '../form/edit-device-link'
import { HealthPanel } from './health-panel'
import { InstallationsPanel } from './installations-panel'
import { NotesPanel } from './notes-panel'

const SecureBootPanel = lazyPart(() => import('../updates/secure-boot-panel').then((part) => part.SecureBootPanel))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/details')
const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const quiet = css({ color: 'muted' })

/** What is known of a device: what it reports, what people have set, and what it has run. */
export default function DetailsPage() {
  const { api } = useSystem()
  const { deviceId } = route.useParams()
  const { data: device } = useSuspenseQuery(deviceQuery(api, deviceId))
  return (
    <Columns
      side={
        <>
          <ClientPanel device={device} />
          <DecisionPanel device={device} />
          <Suspense>{device.secure_boot.state !== 'unknown' && <SecureBootPanel deviceId={deviceId} />}</Suspense>
        </>
      }
    >
      <div className={stack}>
        <HealthPanel device={device} />
        <InstallationsPanel deviceId={deviceId} />
        <AttributesPanel device={device} />
        <Panel title="Metadata" aside={<EditDevice label="Edit metadata" />}>
          {Object.keys(device.metadata).length === 0 ? (
            <p className={quiet}>Your own data about this device. It is not sent to the device.</p>
          ) : (
            <Code json label="Metadata" code={JSON.stringify(device.metadata, null, 2)} />
          )}
        </Panel>
        <NotesPanel device={device} />
      </div>
    </Columns>
  )
}
