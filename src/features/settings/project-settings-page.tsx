import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { ProjectChange } from '../../../contract/project-changes'
import { updateProjectMutation } from '../../api/mutations/projects'
import { projectQuery } from '../../api/queries/projects'
import { useBack } from '../../system/back'
import { BoundForm } from '../../system/bound-form'
import { useForm } from '../../system/form'
import { useRefusal } from '../../system/grants'
import { notify } from '../../system/notify'
import { useSystem } from '../../system/system'
import { CopyableId } from '../../ui/copyable-id'
import { Page, PageHead } from '../../ui/page'
import { DeleteProject } from './delete-project'
import { HardwareModels } from './hardware-models'
import { ProjectFields, readProject } from './project-fields'
import { ShowSetup } from './show-setup'
import { TransferProject } from './transfer-project'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/settings/general')
const stack = css({ display: 'grid', gap: '40', gridTemplateColumns: 'minmax(0, 1fr)', maxW: 'form' })

/** §2: the project edit form. */
export default function ProjectSettingsPage() {
  const { api } = useSystem()
  const { invalidate } = useRouter()
  const params = route.useParams()
  const { data: project } = useSuspenseQuery(projectQuery(api, params.projectId))
  const { mutateAsync } = useMutation(updateProjectMutation(api))
  const back = useBack(`/organizations/${params.organizationId}/projects/${params.projectId}/monitor`)
  const refused = useRefusal('project:update')
  const form = useForm({
    schema: ProjectChange,
    read: readProject,
    save: (body) => mutateAsync({ project, body }),
    onSaved: () => {
      void invalidate()
      void notify({ kind: 'success', text: 'Saved' })
    },
  })
  return (
    <Page width="form">
      <PageHead title="General" chips={<CopyableId value={project.id} label="Copy project id" length={26} />} />
      <div className={stack}>
        <BoundForm form={form} onCancel={back} refused={refused} sticky note="Required fields have an asterisk.">
          <ProjectFields project={project} field={form.field} />
        </BoundForm>
        <HardwareModels project={project} />
        <ShowSetup projectId={project.id} />
        <TransferProject project={project} />
        <DeleteProject project={project} />
      </div>
    </Page>
  )
}
