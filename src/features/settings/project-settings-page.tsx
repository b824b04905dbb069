import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { ProjectChange } from '../../../contract/accounts/project-changes'
import type { Project } from '../../../contract/accounts/projects'
import { updateProjectMutation } from '../../api/mutations/accounts/projects'
import { projectQuery } from '../../api/queries/accounts/projects'
import { useBack } from '../../system/page/back'
import { BoundForm } from '../../system/form/bound-form'
import { ConflictNotice } from '../../system/form/conflict-notice'
import { type EditConflict, type Fields, useEditConflict } from '../../system/form/edit-conflict'
import { useForm } from '../../system/form/form'
import { useRefusal } from '../../system/scope/grants'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'
import { CopyableId } from '../../ui/text/copyable-id'
import { Page, PageHead } from '../../ui/layout/page'
import { DeleteProject } from './delete-project'
import { HardwareModels } from './hardware-models'
import { fieldsOf, labels, say, toChange, toFields } from './project-change'
import { ProjectFields, readProject } from './project-fields'
import { ShowSetup } from './show-setup'
import { TransferProject } from './transfer-project'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/settings/general')
const stack = css({ display: 'grid', gap: '40', gridTemplateColumns: 'minmax(0, 1fr)', maxW: 'form' })

const EditProject = ({ edit, onSaved }: { edit: EditConflict<Project, Fields>; onSaved: () => void }) => {
  const params = route.useParams()
  const back = useBack(`/organizations/${params.organizationId}/projects/${params.projectId}/monitor`)
  const refused = useRefusal('project:update')
  const { base, conflict } = edit
  const form = useForm({
    schema: ProjectChange,
    read: readProject,
    save: (body) => edit.save(toFields(base, body)),
    onSaved: () => {
      edit.settle()
      onSaved()
    },
  })
  return (
    <BoundForm
      form={form}
      onCancel={back}
      refused={refused}
      sticky
      note="Required fields have an asterisk."
      conflict={
        conflict && (
          <ConflictNotice
            conflict={conflict}
            labels={labels}
            say={say}
            onKeepMine={edit.keepMine}
            onTakeTheirs={edit.takeTheirs}
          />
        )
      }
    >
      <ProjectFields project={base} field={form.field} />
    </BoundForm>
  )
}

/** §2: the project edit form. */
export default function ProjectSettingsPage() {
  const { api } = useSystem()
  const { invalidate } = useRouter()
  const params = route.useParams()
  const { data: project } = useSuspenseQuery(projectQuery(api, params.projectId))
  const { mutateAsync } = useMutation(updateProjectMutation(api))
  const edit = useEditConflict(project, fieldsOf, (object, fields) =>
    mutateAsync({ project: object, body: toChange(object, fields) }),
  )
  const saved = () => {
    void invalidate()
    void notify({ kind: 'success', text: 'Saved' })
  }
  return (
    <Page width="form">
      <PageHead title="General" chips={<CopyableId value={project.id} label="Copy project id" length={26} />} />
      <div className={stack}>
        <EditProject key={edit.base.revision} edit={edit} onSaved={saved} />
        <HardwareModels project={project} />
        <ShowSetup projectId={project.id} />
        <TransferProject project={project} />
        <DeleteProject project={project} />
      </div>
    </Page>
  )
}
