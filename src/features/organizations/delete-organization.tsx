import { Suspense, useState } from 'react'
import type { Organization } from '../../../contract/organization'
import { useRefusal } from '../../system/grants'
import { lazyPart } from '../../system/lazy'
import { Button } from '../../ui/button'
import { Panel } from '../../ui/panel'

const DeleteOrganizationDialog = lazyPart(() =>
  import('./delete-organization-dialog').then((part) => part.DeleteOrganizationDialog),
)

/** An organization with projects cannot be deleted: shown before the user types its name. */
const full = ({ project_count: projects }: Organization) =>
  projects === 0 ? undefined : `It still has ${projects === 1 ? 'one project' : `${projects} projects`}. Delete those first.`

export const DeleteOrganization = ({ organization }: { organization: Organization }) => {
  const lacking = useRefusal('organization:delete')
  const [asked, setAsked] = useState(false)
  const refused = lacking ?? full(organization)
  return (
    <Panel
      title="Delete organization"
      aside={
        <Button variant="dangerOutline" {...(refused !== undefined && { refused })} onClick={() => setAsked(true)}>
          Delete organization
        </Button>
      }
    >
      <p>{full(organization) ?? 'Members lose access and open invites stop working. This cannot be undone.'}</p>
      {asked && (
        <Suspense>
          <DeleteOrganizationDialog organization={organization} onClose={() => setAsked(false)} />
        </Suspense>
      )}
    </Panel>
  )
}
