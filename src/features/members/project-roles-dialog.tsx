import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import type { Member } from '../../../contract/accounts/members'
import type { Project } from '../../../contract/accounts/projects'
import { type ProjectRole, projectRoles } from '../../../contract/core/roles'
import { roleDescriptions } from '../../../contract/accounts/role-descriptions'
import { changeProjectRoleMutation } from '../../api/mutations/accounts/members'
import { projectsQuery } from '../../api/queries/accounts/projects'
import { useModal } from '../../system/modals/use-modal'
import { notify } from '../../system/failure/notify'
import { describeError } from '../../system/failure/describe-error'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'
import { Callout } from '../../ui/layout/notice'
import { Select } from '../../ui/form/select'
import { nameOf } from './role-control'

const list = css({ display: 'grid', gap: '8', gridTemplateColumns: 'minmax(0, 1fr)' })
const row = css({ display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: '12', minW: '0' })
const cut = css({ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap', minW: '0' })
const end = css({ ml: 'auto' })
const about = css({ color: 'muted' })

const same = 'same'
type Choice = ProjectRole | typeof same

type Change = { from: ProjectRole | null; to: ProjectRole | null }

type Props = { person: Member; organizationId: string; onClose: () => void }

const ProjectRow = ({ person, organizationId, project }: Omit<Props, 'onClose'> & { project: Project }) => {
  const { api } = useSystem()
  const name = nameOf(person)
  const change = useMutation(changeProjectRoleMutation(api, organizationId))
  const before = person.project_roles.find(({ project_id: id }) => id === project.id)?.role ?? null
  // The last change that was made here, for Undo.
  const [made, setMade] = useState<Change>()
  const save = ({ from, to }: Change, isUndo = false) =>
    change.mutate(
      { memberId: person.user.id, projectId: project.id, role: to, expected: from },
      {
        onSuccess: () => {
          setMade(isUndo ? undefined : { from, to })
          void notify({ kind: 'success', text: `${name} is now ${to ?? person.base_role} in ${project.name}` })
        },
        onError: (error) =>
          void notify({ kind: 'error', text: describeError(error, `The role in ${project.name} was not changed`) }),
      },
    )
  const shown = change.isPending ? change.variables.role : before
  return (
    <div className={row}>
      <span className={cut} title={project.name}>
        {project.name}
      </span>
      {made && (
        <Button
          size="small"
          variant="ghost"
          className={end}
          disabled={change.isPending}
          aria-label={`Undo the change in ${project.name}`}
          onClick={() => save({ from: made.to, to: made.from }, true)}
        >
          Undo
        </Button>
      )}
      <Select<Choice>
        small
        label={`Role of ${name} in ${project.name}`}
        items={[
          { value: same, label: `${person.base_role}, as in the organization` },
          ...projectRoles.map((role) => ({ value: role, label: role })),
        ]}
        value={shown ?? same}
        disabled={change.isPending}
        onValueChange={(role) => save({ from: before, to: role === same ? null : role })}
      />
    </div>
  )
}

/** A role in one project replaces that of the organization there; each change is saved at once and can be undone. */
export const ProjectRolesDialog = ({ person, organizationId, onClose }: Props) => {
  const { api } = useSystem()
  const { close, root } = useModal('project_roles', onClose)
  const projects = useQuery(projectsQuery(api, organizationId))
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={`Roles of ${nameOf(person)} in projects`}
        description={`A role in a project replaces the role of the organization (${person.base_role}) there: it can allow more or less. It counts from the next request.`}
        footer={<Button onClick={close}>Close</Button>}
      >
        <div className={list}>
          {projects.isError && <Callout kind="error">The projects could not be loaded.</Callout>}
          {projects.data?.length === 0 && <p className={about}>The organization has no projects.</p>}
          {projects.data?.map((project) => (
            <ProjectRow key={project.id} person={person} organizationId={organizationId} project={project} />
          ))}
          {projectRoles.map((role) => (
            <p key={role} className={about}>
              {role}: {roleDescriptions[role]}
            </p>
          ))}
        </div>
      </Dialog.Window>
    </Dialog.Root>
  )
}
