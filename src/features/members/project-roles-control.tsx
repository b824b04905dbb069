import { Suspense, useState } from 'react'
import { hasEveryProject } from '../../../contract/accounts/project-permissions'
import type { Member } from '../../../contract/accounts/members'
import { lazyPart } from '../../system/page/lazy'
import { Button } from '../../ui/button'
import { nameOf, useFixed } from './role-control'

const ProjectRolesDialog = lazyPart(() => import('./project-roles-dialog').then((part) => part.ProjectRolesDialog))

/** Opens the roles of a member in single projects of the organization. */
export const ProjectRolesControl = ({ person, organizationId }: { person: Member; organizationId: string }) => {
  const fixed = useFixed(person)
  const [open, setOpen] = useState(false)
  const count = person.project_roles.length
  const why = hasEveryProject(person.base_role) ? 'Owners and admins have all rights in every project.' : fixed
  return (
    <>
      <Button
        size="small"
        variant="ghost"
        aria-haspopup="dialog"
        aria-label={`Roles of ${nameOf(person)} in projects`}
        {...(why !== undefined && { refused: why })}
        onClick={() => setOpen(true)}
      >
        {count === 0 || why !== undefined ? 'Projects' : `Projects (${count})`}
      </Button>
      {open && (
        <Suspense>
          <ProjectRolesDialog person={person} organizationId={organizationId} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
