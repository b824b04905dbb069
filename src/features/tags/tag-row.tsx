import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { css, cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { Tag } from '../../../contract/fleet/tags'
import { formatCount } from '../../lib/amounts'
import * as Table from '../../ui/list/table'
import { Tag as TagBox } from '../../ui/text/tag'
import { RelativeTime } from '../../ui/text/time'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/tags/list/')
const narrowOnly = css({ hideFrom: 'md' })
export const roomyOnly = css({ hideBelow: 'lg' })
const name = css({
  display: 'flex',
  minW: '0',
  '& > *': { overflow: 'hidden', textOverflow: 'ellipsis', display: 'block', lineHeight: '{sizes.18}' },
})

/** One tag; its number of devices links to those devices. */
export const TagRow = ({ tag }: { tag: Tag }) => {
  const place = route.useParams()
  const navigate = useNavigate()
  const params = { ...place, tagId: tag.id }
  const to = '/organizations/$organizationId/projects/$projectId/tags/list/$tagId/edit' as const
  return (
    <Table.Row onOpen={() => void navigate({ to, params })}>
      <Table.Cell at="lead">
        <Link to={to} params={params} className={cx(link(), name)} data-ink title={tag.name}>
          <TagBox color={tag.colour}>{tag.name}</TagBox>
        </Link>
      </Table.Cell>
      <Table.Cell quiet at="sub" title={tag.description}>
        {tag.description || '–'}
      </Table.Cell>
      <Table.Cell align="end" at="end">
        {tag.device_count === 0 ? (
          <span className={css({ color: 'muted' })}>
            0<span className={narrowOnly}> devices</span>
          </span>
        ) : (
          <Link
            to="/organizations/$organizationId/projects/$projectId/devices/list"
            params={place}
            search={{ tag: tag.name }}
            className={link()}
          >
            {formatCount(tag.device_count)}
            <span className={narrowOnly}>{tag.device_count === 1 ? ' device' : ' devices'}</span>
          </Link>
        )}
      </Table.Cell>
      <Table.Cell align="end" className={roomyOnly}>
        {tag.used_by_rollouts === 0 ? <span className={css({ color: 'muted' })}>0</span> : formatCount(tag.used_by_rollouts)}
      </Table.Cell>
      <Table.Cell align="end" quiet at="subEnd">
        <RelativeTime value={tag.updated_at} />
      </Table.Cell>
    </Table.Row>
  )
}
