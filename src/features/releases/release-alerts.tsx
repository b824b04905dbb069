import { Link, useParams } from '@tanstack/react-router'
import { css, cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { Release } from '../../../contract/updates/releases'
import { pluralize } from '../../lib/pluralize'
import { lazyPart } from '../../system/page/lazy'
import { Callout } from '../../ui/layout/notice'

const DamagedFiles = lazyPart(() => import('./damaged-files').then((part) => part.DamagedFiles))

const alerts = css({ display: 'grid', gap: '8', mb: '16', _empty: { display: 'none' } })
const within = cx(link(), css({ textDecoration: 'underline' }))

/** Devices that run the release although it is revoked: how many, which, and the ways out. */
const StillRunning = ({ release }: { release: Release }) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const n = release.active_devices
  return (
    <Callout kind="error">
      <Link
        to="/organizations/$organizationId/projects/$projectId/devices/list"
        params={{ organizationId, projectId }}
        search={{ release_id: release.id, lifecycle: 'active' }}
        className={within}
      >
        {pluralize(n, 'device')}
      </Link>{' '}
      still {n === 1 ? 'runs' : 'run'} this revoked release. Roll back the rollout below that brought it, or roll out the next
      release.
    </Callout>
  )
}

/** What is wrong with a release: damaged files, devices that run it although it is revoked, and what people should know. */
export const ReleaseAlerts = ({ release }: { release: Release }) => (
  <div className={alerts}>
    {release.assets.some((asset) => asset.damaged_at) && <DamagedFiles release={release} />}
    {release.state === 'revoked' && release.active_devices > 0 && <StillRunning release={release} />}
    {release.warnings.length > 0 && (
      <Callout kind="warning">
        {release.warnings.map((warning) => (
          <p key={warning}>{warning}.</p>
        ))}
      </Callout>
    )}
  </div>
)
