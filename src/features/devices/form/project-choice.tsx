import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { organizationsQuery } from '../../../api/queries/accounts/organizations'
import { projectsQuery } from '../../../api/queries/accounts/projects'
import { scopeFromPath, scopeToPath, useRouteScope } from '../../../system/scope/scope'
import { useSystem } from '../../../system/system'
import { lazyPart } from '../../../system/page/lazy'
import { FieldSkeleton } from '../../../ui/form/field-skeleton'

// The list of a select is loaded with the first dialog that has one, not with the dialog's own text.
const SelectField = lazyPart(() => import('../../../ui/form/select-field').then((part) => part.SelectField))

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
    <Suspense fallback={<FieldSkeleton />}>
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
    </Suspense>
  )
}
