import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import type { Project } from '../../../contract/accounts/projects'
import { deleteProjectMutation } from '../../api/mutations/accounts/projects'
import { accessTokensQuery } from '../../api/queries/accounts/access-tokens'
import { failureOf } from '../../api/failure'
import { isTypedName } from '../../lib/typed-name'
import { describeFailure } from '../../system/failure/failure-text'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'
import { TextField } from '../../ui/form/text-field'
import { describeDeletion } from './project-deletion-text'

/** An irreversible action requires typing the name. */
export const DeleteProjectDialog = ({ project, onClose }: { project: Project; onClose: () => void }) => {
  const { api } = useSystem()
  const { cancel, root } = useModal('delete_project', onClose)
  const { navigate } = useRouter()
  const { organizationId = '' } = useParams({ strict: false })
  const { data: tokens } = useQuery({ ...accessTokensQuery(api, project.id), staleTime: 0 })
  const [typed, setTyped] = useState('')
  const remove = useMutation(deleteProjectMutation(api))
  const failure = failureOf(remove.error)
  const confirm = async () => {
    await remove.mutateAsync({ project, confirmName: project.name })
    await navigate({ to: '/organizations/$organizationId/projects', params: { organizationId }, search: true, replace: true })
  }
  return (
    <Dialog.Root {...root} role="alertdialog">
      <Dialog.Window
        title={`Delete ${project.name}?`}
        description={describeDeletion(project.counts, tokens)}
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button
              variant="danger"
              disabled={!isTypedName(typed, project.name)}
              busy={remove.isPending}
              busyLabel="Deleting..."
              onClick={() => void confirm().catch(() => {})}
            >
              Delete project
            </Button>
          </>
        }
      >
        <TextField
          label={`Type ${project.name} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          error={failure && (describeFailure(failure) ?? failure.message)}
        />
      </Dialog.Window>
    </Dialog.Root>
  )
}
