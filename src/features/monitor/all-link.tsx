import { getRouteApi, Link } from '@tanstack/react-router'
import { link } from 'styled-system/recipes'
import type { attentionFilters } from '../../../contract/fleet/devices'
import { formatCount } from '../../lib/amounts'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/monitor')

type Props = {
  attention: (typeof attentionFilters)[number]
  /** Null: too many to count. */
  total: number | null
  of: string
}

/** "All 137" in the head of a panel that shows the first few: the list of all of them, where they are changed in bulk. */
export const AllLink = ({ attention, total, of }: Props) => {
  const params = route.useParams()
  const text = total === null ? 'All' : `All ${formatCount(total)}`
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/devices/list"
      params={params}
      search={{ attention }}
      className={link()}
      aria-label={`${text} ${of}`}
    >
      {text}
    </Link>
  )
}
