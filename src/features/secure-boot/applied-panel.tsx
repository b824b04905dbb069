import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { SecureBootBundle } from '../../../contract/secure-boot/bundles'
import { bundleDevicesQuery } from '../../api/queries/secure-boot-devices'
import { every, paces } from '../../api/refresh'
import { formatCount } from '../../lib/amounts'
import { pluralize } from '../../lib/pluralize'
import { secureBootDisplay } from '../../lib/status-display'
import { FailureBox } from '../../system/failure-box'
import { useSystem } from '../../system/system'
import { Status } from '../../ui/chip'
import { Panel, PanelBody, PanelRow, PanelSkeletons } from '../../ui/panel'

const row = css({ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: '4', w: 'full', minW: '0' })
const quiet = css({ color: 'muted' })
const drifted = css({ textStyle: 'small', color: 'warning.text', w: 'full' })
const scrolled = css({ maxH: '320', overflowY: 'auto' })

/** A device whose counter differs from the bundle that it reports. */
const driftOf = (reported: number | null, planned: number) =>
  reported === null || reported === planned ? undefined : `Drift: rollback version ${reported}, the bundle has ${planned}`

const Devices = ({ bundle }: { bundle: SecureBootBundle }) => {
  const { api } = useSystem()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const { data, error, refetch } = useQuery({ ...bundleDevicesQuery(api, bundle.id), refetchInterval: every(paces.fleet) })
  if (!data) return error ? <FailureBox error={error} onRetry={() => void refetch()} /> : <PanelSkeletons />
  return (
    <div className={scrolled} tabIndex={0} role="region" aria-label="Devices with this bundle">
      {data.devices.map((device) => {
        const { shape, word } = secureBootDisplay(device.state)
        const drift = driftOf(device.rollback_version, bundle.rollback_version)
        return (
          <PanelRow key={device.id}>
            <div className={row}>
              <Link
                to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId"
                params={{ organizationId, projectId, deviceId: device.id }}
                className={link()}
                data-ink
              >
                <code>{device.name}</code>
              </Link>
              <Status shape={shape}>{word}</Status>
              {drift !== undefined && <span className={drifted}>{drift}</span>}
            </div>
          </PanelRow>
        )
      })}
      {data.total > data.devices.length && (
        <PanelRow>
          <span className={quiet}>And {pluralize(data.total - data.devices.length, 'more device')}.</span>
        </PanelRow>
      )}
    </div>
  )
}

/** The devices that report this bundle, with those that differ from it. */
export const AppliedPanel = ({ bundle }: { bundle: SecureBootBundle }) => {
  const { devices, closed } = bundle.applied
  return (
    <Panel flush title="Devices" aside={devices === 0 ? '0' : `${formatCount(devices)}, ${formatCount(closed)} closed`}>
      {devices === 0 ? (
        <PanelBody>
          <span className={quiet}>No device reports this bundle.</span>
        </PanelBody>
      ) : (
        <Devices bundle={bundle} />
      )}
    </Panel>
  )
}
