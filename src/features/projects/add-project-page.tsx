import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { NewProject } from '../../../contract/accounts/project-changes'
import { createProjectMutation } from '../../api/mutations/accounts/projects'
import { organizationsQuery } from '../../api/queries/accounts/organizations'
import { BackLink, useBack } from '../../system/page/back'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import { scopeFromPath } from '../../system/scope/scope'
import { useSystem } from '../../system/system'
import { ReadOnlyField } from '../../ui/form/field'
import { TextareaField, TextField } from '../../ui/form/text-field'
import { Icon } from '../../ui/icon/icon'
import { nav } from 'styled-system/recipes'
import { Page, PageHead } from '../../ui/layout/page'
import { OwnerPlan } from './owner-plan'

const route = getRouteApi('/organizations/$organizationId/projects/add')

const Owner = ({ scope }: { scope: string | null }) => {
  const { data: organizations } = useQuery(organizationsQuery(useSystem().api))
  const name = scope === null ? 'You' : organizations?.find((one) => one.public_id === scope)?.name
  return (
    <ReadOnlyField label="Owner" info="The project uses the members and the plan of its owner.">
      <Icon name={scope === null ? 'user' : 'org'} />
      {name ?? scope}
    </ReadOnlyField>
  )
}

export default function AddProjectPage() {
  const { api } = useSystem()
  const { navigate } = useRouter()
  const params = route.useParams()
  const scope = scopeFromPath(params.organizationId)
  const { mutateAsync } = useMutation(createProjectMutation(api, scope))
  const back = useBack(`/organizations/${params.organizationId}/projects`)
  const form = useForm({
    schema: NewProject,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: (project) =>
      void navigate({
        to: '/organizations/$organizationId/projects/$projectId',
        params: { ...params, projectId: project.id },
        replace: true,
      }),
  })
  const projects = (
    <BackLink to="/organizations/$organizationId/projects" params={params}>
      Projects
    </BackLink>
  )
  return (
    <main className={nav().main}>
      <Page width="cards">
        <PageHead title="Add Project" crumbs={[projects, 'Add Project']} />
        <BoundForm form={form} onCancel={back} note="Required fields have an asterisk.">
          <TextField {...form.field('name')} label="Name" required autoFocus />
          <TextareaField {...form.field('description')} label="Description" hint="Shown on the project card." limit={512} />
          <Owner scope={scope} />
          <OwnerPlan scope={scope} />
        </BoundForm>
      </Page>
    </main>
  )
}
