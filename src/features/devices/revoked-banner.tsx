import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import { isEnded } from '../../../contract/device/update-events'
import type { Device } from '../../../contract/fleet/devices'
import { isDeployable } from '../../../contract/updates/releases'
import { releasesQuery } from '../../api/queries/updates/releases'
import { useSystem } from '../../system/system'
import { Callout } from '../../ui/layout/notice'

const banner = css({ mb: '16' })
const ways = css({ display: 'flex', flexWrap: 'wrap', gap: '8', mt: '8' })
const place = '/organizations/$organizationId/projects/$projectId/releases' as const

const nameOf = ({ name, version, display_version: display }: NonNullable<Device['installed']>) => name ?? display ?? `v${version}`

type Props = { device: Device; installed: NonNullable<Device['installed']>; reason: string }

const Ways = ({ device: { project_id, hardware_model, update }, installed }: Omit<Props, 'reason'>) => {
  const { api } = useSystem()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const { data } = useInfiniteQuery(releasesQuery(api, project_id, { hardware_model }))
  const next = data?.pages
    .flatMap(({ releases }) => releases)
    .find((one) => isDeployable(one.state) && one.version > installed.version)
  const params = { organizationId, projectId }
  const { release_id: releaseId } = installed
  const look = button({ size: 'small' })
  return (
    <div className={ways}>
      {update !== null && update.release_id === releaseId ? (
        <Link to={`${place}/rollouts/$rolloutId`} params={{ ...params, rolloutId: update.rollout_id }} className={look}>
          Roll back
        </Link>
      ) : (
        // After another update of the device the page of the release has the rollout that brought it.
        releaseId !== null && (
          <Link to={`${place}/list/$releaseId/status`} params={{ ...params, releaseId }} className={look}>
            Roll back
          </Link>
        )
      )}
      {next && (
        <Link to={`${place}/list/$releaseId/status`} params={{ ...params, releaseId: next.id }} className={look}>
          Roll out {next.name}
        </Link>
      )}
      {data && !next && (
        <Link to={`${place}/list`} params={params} className={look}>
          Add the next release
        </Link>
      )}
    </div>
  )
}

/** The device runs a revoked release: which, why, and the ways out of it. */
export const RevokedBanner = ({ device, installed, reason }: Props) => {
  const { update } = device
  const isLeaving = update !== null && update.release_id !== installed.release_id && !isEnded(update.state)
  return (
    <div role="alert" className={banner}>
      <Callout kind="error">
        <strong>{nameOf(installed)}</strong>, which this device runs, is revoked{reason && `: ${reason}`}.{' '}
        {isLeaving
          ? `The device has an update to ${update.display_version ?? `v${update.version}`}, which ends this.`
          : 'It keeps running it until it is rolled back or gets another release.'}
        {!isLeaving && <Ways device={device} installed={installed} />}
      </Callout>
    </div>
  )
}
