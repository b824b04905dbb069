import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import { isEnded } from '../../../contract/device/update-events'
import type { Device } from '../../../contract/devices'
import { isDeployable } from '../../../contract/releases'
import { releasesQuery } from '../../api/queries/releases'
import { useSystem } from '../../system/system'
import { Callout } from '../../ui/notice'

const ways = css({ display: 'flex', flexWrap: 'wrap', gap: '8', mt: '8' })
const place = '/organizations/$organizationId/projects/$projectId/releases' as const

const nameOf = ({ name, version, display_version: display }: NonNullable<Device['installed']>) => name ?? display ?? `v${version}`

type Props = { device: Device; installed: NonNullable<Device['installed']>; reason: string }

/** The device runs a revoked release: which, why, and the ways out of it. */
export const RevokedBanner = ({ device: { project_id, hardware_model, update }, installed, reason }: Props) => {
  const { api } = useSystem()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const { data } = useInfiniteQuery(releasesQuery(api, project_id, { hardware_model }))
  const { release_id: releaseId, version } = installed
  const next = data?.pages.flatMap(({ releases }) => releases).find((one) => isDeployable(one.state) && one.version > version)
  const isLeaving = update !== null && update.release_id !== releaseId && !isEnded(update.state)
  // The rollout that brought it; after another update of the device the page of the release has it.
  const rolloutId = update?.release_id === releaseId ? update.rollout_id : undefined
  const params = { organizationId, projectId }
  return (
    <Callout kind="error">
      <strong>{nameOf(installed)}</strong>, which this device runs, is revoked{reason && `: ${reason}`}.{' '}
      {isLeaving
        ? `The device has an update to ${update.display_version ?? `v${update.version}`}, which ends this.`
        : 'It keeps running it until it is rolled back or gets another release.'}
      {!isLeaving && (
        <div className={ways}>
          {rolloutId !== undefined ? (
            <Link to={`${place}/rollouts/$rolloutId`} params={{ ...params, rolloutId }} className={button({ size: 'small' })}>
              Roll back
            </Link>
          ) : (
            releaseId !== null && (
              <Link
                to={`${place}/list/$releaseId/status`}
                params={{ ...params, releaseId }}
                className={button({ size: 'small' })}
              >
                Roll back
              </Link>
            )
          )}
          {next ? (
            <Link
              to={`${place}/list/$releaseId/status`}
              params={{ ...params, releaseId: next.id }}
              className={button({ size: 'small' })}
            >
              Roll out {next.name}
            </Link>
          ) : (
            data && (
              <Link to={`${place}/list`} params={params} className={button({ size: 'small' })}>
                Add the next release
              </Link>
            )
          )}
        </div>
      )}
    </Callout>
  )
}
