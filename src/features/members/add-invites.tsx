import { Link, useParams } from '@tanstack/react-router'
import { button } from 'styled-system/recipes'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'
import { memberRoutes, useMemberScope, useManageRefusal } from './member-scope'

/** Links to the invite form. Users who may not invite see who may. */
export const AddInvites = ({ size = 'small' }: { size?: 'md' | 'small' }) => {
  const scope = useMemberScope()
  const refused = useManageRefusal()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const icon = <Icon name="plus" size={size === 'small' ? 14 : 16} />
  if (refused !== undefined)
    return (
      <Button size={size} variant="primary" icon={icon} refused={refused}>
        Invite people
      </Button>
    )
  return (
    <Link to={memberRoutes(scope).add} params={{ organizationId, projectId }} className={button({ variant: 'primary', size })}>
      {icon}
      Invite people
    </Link>
  )
}
