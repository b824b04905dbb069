import { Link, useParams } from '@tanstack/react-router'
import { button } from 'styled-system/recipes'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { placesOf, useHome, useManaging } from './home'

/** The way to the invite form. Who may not invite sees who may. */
export const AddInvites = () => {
  const home = useHome()
  const refused = useManaging()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const icon = <Icon name="plus" size={14} />
  if (refused !== undefined)
    return (
      <Button size="small" variant="primary" icon={icon} refused={refused}>
        Invite people
      </Button>
    )
  return (
    <Link
      to={placesOf(home).add}
      params={{ organizationId, projectId }}
      className={button({ variant: 'primary', size: 'small' })}
    >
      {icon}
      Invite people
    </Link>
  )
}
