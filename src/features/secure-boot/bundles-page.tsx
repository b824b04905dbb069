import { getRouteApi, Link } from '@tanstack/react-router'
import { button } from 'styled-system/recipes'
import { useRefusal } from '../../system/grants'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { EmptyState } from '../../ui/notice'
import { Page, PageHead } from '../../ui/page'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/secure-boot/list/')

const AddBundle = () => {
  const refused = useRefusal('project:update')
  const params = route.useParams()
  const icon = <Icon name="plus" />
  if (refused !== undefined)
    return (
      <Button variant="primary" icon={icon} refused={refused}>
        Add Bundle
      </Button>
    )
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/secure-boot/list/add"
      params={params}
      className={button({ variant: 'primary' })}
    >
      {icon}
      Add Bundle
    </Link>
  )
}

/** The secure boot bundles of a project: with them a board boots only signed images. */
export default function BundlesPage() {
  return (
    <Page>
      <PageHead title="Secure Boot" />
      <EmptyState title="Not Found" action={<AddBundle />}>
        A bundle contains the signed boot stages for one kind of board, the public keys or hashes to burn into it, and the steps
        that lock it permanently, in order.
      </EmptyState>
    </Page>
  )
}
