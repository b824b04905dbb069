import { getRouteApi, Link } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { Overview } from '../../../contract/monitor'
import { Panel, PanelRow, PanelSkeletons } from '../../ui/panel'
import { Shape, type ShapeName } from '../../ui/shape'
import { RelativeTime } from '../../ui/time'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/monitor')
const shapes: Record<Overview['attention'][number]['kind'], ShapeName> = {
  critical: 'error',
  failed: 'error',
  warning: 'warning',
  offline: 'offline',
  pending: 'waiting',
}
const entry = css({
  display: 'grid',
  gridTemplateColumns: '12px minmax(0, 1fr) auto',
  columnGap: '8',
  alignItems: 'center',
  w: 'full',
  '& a': { minW: '0', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& code': { textStyle: 'mono' },
  '& time': { textStyle: 'small', color: 'muted' },
})
const text = css({ gridColumn: '2', textStyle: 'small', color: 'muted' })

/** Problems that need attention, worst first. */
export const AttentionPanel = ({ items }: { items: Overview['attention'] | undefined }) => {
  const params = route.useParams()
  return (
    <Panel flush title="Attention" aside={items && items.length > 0 ? String(items.length) : undefined}>
      {items === undefined ? (
        <PanelSkeletons rows={4} />
      ) : (
        items.map((item) => (
          <PanelRow key={`${item.device_id}:${item.kind}`}>
            <span className={entry}>
              <Shape name={shapes[item.kind]} label={item.kind} />
              <Link
                to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events"
                params={{ ...params, deviceId: item.device_id }}
                className={link()}
                data-ink
                title={item.device_name}
              >
                <code>{item.device_name}</code>
              </Link>
              <RelativeTime value={item.since} never="" />
              <span className={text}>{item.text}</span>
            </span>
          </PanelRow>
        ))
      )}
    </Panel>
  )
}
