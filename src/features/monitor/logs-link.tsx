import { getRouteApi, Link } from '@tanstack/react-router'
import { button } from 'styled-system/recipes'
import { useRefusal } from '../../system/scope/grants'
import { Button } from '../../ui/button'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/monitor')

/** Opens the log of a device that is listed with a problem. */
export const LogsLink = ({
  device: { device_id: deviceId, device_name: name },
}: {
  device: { device_id: string; device_name: string }
}) => {
  const params = route.useParams()
  const refused = useRefusal('device:view')
  const label = `Open logs: ${name}`
  if (refused !== undefined)
    return (
      <Button size="small" aria-label={label} refused={refused}>
        Open logs
      </Button>
    )
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/system-logs"
      params={{ ...params, deviceId }}
      className={button({ size: 'small' })}
      aria-label={label}
    >
      Open logs
    </Link>
  )
}
