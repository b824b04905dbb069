import { getRouteApi, Link } from '@tanstack/react-router'
import { button } from 'styled-system/recipes'
import { useRefusal } from '../../system/grants'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/')

/** How a device comes in: a configuration for the client. */
export const DeviceLinks = () => {
  const params = route.useParams()
  const refused = useRefusal('project:manage_devices')
  const icon = <Icon name="doc" />
  if (refused !== undefined)
    return (
      <Button variant="primary" icon={icon} refused={refused}>
        Config Generator
      </Button>
    )
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/devices/device-config-generator"
      params={params}
      className={button({ variant: 'primary' })}
    >
      {icon}
      Config Generator
    </Link>
  )
}
