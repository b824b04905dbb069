import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { organizationsQuery } from '../../../api/queries/accounts/organizations'
import { projectsQuery } from '../../../api/queries/accounts/projects'
import { scopeFromPath, scopeToPath, useRouteScope } from '../../../system/scope/scope'
import { useSystem } from '../../../system/system'
import { SelectField } from '../../../ui/form/select-field'

type Props = {
  /** The project that is left out. */
  projectId: string
  value: string
  /** `scope`: the organization of the project, null for the personal space. An empty id: none is chosen any more. */
  onValueChange: (projectId: string, scope: string | null) => void
}

/** Another project of one of the person's organizations or of their personal space. */
export const ProjectChoice = ({ projectId, value, onValueChange }: Props) => {
  const { api } = useSystem()
  const { scope: current = null } = useRouteScope()
  const { data: organizations = [] } = useQuery(organizationsQuery(api))
  const [owner, setOwner] = useState(scopeToPath(current))
  const scope = scopeFromPath(owner)
  const { data: projects } = useQuery(projectsQuery(api, scope))
  return (
    <>
      {organizations.length > 0 && (
        <SelectField
          name="owner"
          error={undefined}
          label="Organization"
          items={[
            ...organizations.map((one) => ({ value: one.public_id, label: one.name })),
            { value: scopeToPath(null), label: 'Your personal space' },
          ]}
          value={owner}
          onValueChange={(chosen) => {
            setOwner(chosen)
            onValueChange('', scopeFromPath(chosen))
          }}
        />
      )}
      <SelectField
        name="project"
        error={undefined}
        label="Project"
        placeholder={projects?.some(({ id }) => id !== projectId) === false ? 'No other project' : 'Choose'}
        items={(projects ?? []).filter(({ id }) => id !== projectId).map(({ id, name }) => ({ value: id, label: name }))}
        value={value}
        onValueChange={(chosen) => onValueChange(chosen, scope)}
      />
    </>
  )
}
