import { Link, useParams } from '@tanstack/react-router'
import { button } from 'styled-system/recipes'
import { useRefusal } from '../../system/grants'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'

export const EditDevice = () => {
  const { organizationId = '', projectId = '', deviceId = '' } = useParams({ strict: false })
  const refused = useRefusal('project:manage_devices')
  const icon = <Icon name="sliders" />
  if (refused !== undefined)
    return (
      <Button icon={icon} refused={refused} data-tight>
        <span>Edit</span>
      </Button>
    )
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/edit"
      params={{ organizationId, projectId, deviceId }}
      className={button()}
      data-tight
    >
      {icon}
      <span>Edit</span>
    </Link>
  )
}
