import { getRouteApi, Link } from '@tanstack/react-router'
import { button } from 'styled-system/recipes'
import type { Overview } from '../../../contract/overview/monitor'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/monitor')

type Props = { item: Overview['attention'][number]; releaseId: string }

/** Opens the revoked release that the device runs: its rollouts can be rolled back there. */
export const ReleaseLink = ({ item: { device_name: name }, releaseId }: Props) => {
  const params = route.useParams()
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/status"
      params={{ ...params, releaseId }}
      className={button({ size: 'small' })}
      aria-label={`Open release: ${name}`}
    >
      Open release
    </Link>
  )
}
