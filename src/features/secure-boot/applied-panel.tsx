import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { bundleDevicesQuery } from '../../api/queries/updates/secure-boot-devices'
import { every, paces } from '../../api/refresh'
import { formatCount } from '../../lib/amounts'
import { pluralize } from '../../lib/pluralize'
import { secureBootDisplay } from '../../lib/status-display'
import { FailureBox } from '../../system/failure/failure-box'
import { useSystem } from '../../system/system'
import { Status } from '../../ui/text/chip'
import { Panel, PanelBody, PanelRow, PanelSkeletons } from '../../ui/layout/panel'

const row = css({ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: '4', w: 'full', minW: '0' })
const quiet = css({ color: 'muted' })
const drifted = css({ textStyle: 'small', color: 'warning.text', w: 'full', mt: '4' })
const values = css({ textStyle: 'monoSmall', overflowWrap: 'anywhere' })
const scrolled = css({ maxH: '320', overflowY: 'auto' })

const Devices = ({ bundle }: { bundle: SecureBootBundle }) => {
  const { api } = useSystem()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const { data, error, refetch } = useQuery({ ...bundleDevicesQuery(api, bundle.id), refetchInterval: every(paces.fleet) })
  if (!data) return error ? <FailureBox error={error} onRetry={() => void refetch()} /> : <PanelSkeletons />
  return (
    <div className={scrolled} tabIndex={0} role="region" aria-label="Devices with this bundle">
      {data.devices.map((device) => {
        const { shape, word } = secureBootDisplay(device.state)
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
              {device.drift.map(({ field, text, reported, expected }) => (
                <div key={field} className={drifted}>
                  <p>Drift: {text}.</p>
                  <p className={values}>
                    reported {reported ?? 'nothing'}, expected {expected ?? 'nothing'}
                  </p>
                </div>
              ))}
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
