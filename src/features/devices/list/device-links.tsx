import { getRouteApi, Link } from '@tanstack/react-router'
import { css, cx } from 'styled-system/css'
import { button, link } from 'styled-system/recipes'
import { useRefusal } from '../../../system/scope/grants'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon/icon'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/')
const devices = '/organizations/$organizationId/projects/$projectId/devices' as const

/** Links to add a device: by a configuration for the client, or by pre-enrollment. */
export const DeviceLinks = ({ inHead }: { inHead?: boolean }) => {
  const params = route.useParams()
  const refused = useRefusal('project:manage_devices')
  // Next to the title of a small screen there is space for one word.
  const tight = inHead ? { 'data-tight': true } : {}
  const [doc, plus] = [<Icon key="doc" name="doc" />, <Icon key="plus" name="plus" />]
  if (refused !== undefined)
    return (
      <>
        <Button icon={doc} refused={refused} {...tight}>
          <span>Config Generator</span>
        </Button>
        <Button variant="primary" icon={plus} refused={refused}>
          Add Device
        </Button>
      </>
    )
  return (
    <>
      <Link to={`${devices}/device-config-generator`} params={params} className={button()} {...tight}>
        {doc}
        <span>Config Generator</span>
      </Link>
      <Link to={`${devices}/list/add`} params={params} className={button({ variant: 'primary' })}>
        {plus}
        Add Device
      </Link>
    </>
  )
}

/** Deleted devices can be restored for a time. */
export const DeletedLink = () => (
  <Link to={`${devices}/list/deleted`} params={route.useParams()} className={cx(link(), css({ alignSelf: 'center' }))}>
    Deleted devices
  </Link>
)

/** Devices of a former hawkBit server: their import, and how many have arrived. */
export const ImportLink = () => (
  <Link to={`${devices}/import`} params={route.useParams()} className={cx(link(), css({ alignSelf: 'center' }))}>
    Import
  </Link>
)
