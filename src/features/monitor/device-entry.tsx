import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { PanelRow } from '../../ui/layout/panel'
import { Shape, type ShapeName } from '../../ui/layout/shape'
import { RelativeTime } from '../../ui/text/time'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/monitor')
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
const deed = css({ gridColumn: '2 / -1', mt: '4', '&:empty': { display: 'none' } })
const text = css({ gridColumn: '2 / -1', textStyle: 'small', color: 'muted' })

type Props = {
  device: { device_id: string; device_name: string }
  shape: ShapeName
  /** What the shape means, for a screen reader. */
  kind: string
  at: string | null
  says: ReactNode
  children?: ReactNode
}

/** A device of the fleet with what is the matter with it; below, what can be done about it. */
export const DeviceEntry = ({ device, shape, kind, at, says, children }: Props) => {
  const params = route.useParams()
  return (
    <PanelRow>
      <span className={entry}>
        <Shape name={shape} label={kind} />
        <Link
          to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events"
          params={{ ...params, deviceId: device.device_id }}
          className={link()}
          data-ink
          title={device.device_name}
        >
          <code>{device.device_name}</code>
        </Link>
        <RelativeTime value={at} never="" />
        <span className={text}>{says}</span>
        {children && <span className={deed}>{children}</span>}
      </span>
    </PanelRow>
  )
}
