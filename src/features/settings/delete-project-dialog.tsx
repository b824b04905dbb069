import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import type { Project } from '../../../contract/accounts/projects'
import { deleteProjectMutation } from '../../api/mutations/accounts/projects'
import { accessTokensQuery } from '../../api/queries/accounts/access-tokens'
import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { describeDeletion } from './project-deletion-text'

/** An irreversible action requires typing the name. */
export const DeleteProjectDialog = ({ project, onClose }: { project: Project; onClose: () => void }) => {
  const { api } = useSystem()
  const modal = useModal('delete_project', onClose)
  const { navigate } = useRouter()
  const { organizationId = '' } = useParams({ strict: false })
  const { data: tokens } = useQuery({ ...accessTokensQuery(api, project.id), staleTime: 0 })
  const remove = useMutation(deleteProjectMutation(api))
  const confirm = async () => {
    await remove.mutateAsync({ project, confirmName: project.name })
    await navigate({ to: '/organizations/$organizationId/projects', params: { organizationId }, search: true, replace: true })
  }
  return (
    <AskDialog
      modal={modal}
      title={`Delete ${project.name}?`}
      text={describeDeletion(project.counts, tokens)}
      verb="Delete project"
      busyVerb="Deleting..."
      typedName={project.name}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => void confirm().catch(() => {})}
    />
  )
}
