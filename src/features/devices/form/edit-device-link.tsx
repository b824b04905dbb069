import { Link, useParams } from '@tanstack/react-router'
import { button } from 'styled-system/recipes'
import { useRefusal } from '../../../system/scope/grants'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon/icon'

/** To the form of all editable fields. With `label` it is one of several such links, in a panel. */
export const EditDevice = ({ label }: { label?: string }) => {
  const { organizationId = '', projectId = '', deviceId = '' } = useParams({ strict: false })
  const refused = useRefusal('project:manage_devices')
  const small = label !== undefined
  const icon = <Icon name="sliders" {...(small && { size: 14 })} />
  // In the head of a small screen it is an icon only.
  const tight = small ? {} : { 'data-tight': true }
  if (refused !== undefined)
    return (
      <Button icon={icon} refused={refused} {...tight} {...(small && { size: 'small' as const })}>
        <span>{label ?? 'Edit'}</span>
      </Button>
    )
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/edit"
      params={{ organizationId, projectId, deviceId }}
      className={button({ size: small ? 'small' : undefined })}
      {...tight}
    >
      {icon}
      <span>{label ?? 'Edit'}</span>
    </Link>
  )
}
