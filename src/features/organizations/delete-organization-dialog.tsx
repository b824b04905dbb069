import { useMutation } from '@tanstack/react-query'
import type { Organization } from '../../../contract/accounts/organization'
import { deleteOrganizationMutation } from '../../api/mutations/accounts/organizations'
import { useLeaveOrganization } from '../../system/scope/leave-organization'
import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'

/** An irreversible action requires typing the name. */
export const DeleteOrganizationDialog = ({ organization, onClose }: { organization: Organization; onClose: () => void }) => {
  const { api } = useSystem()
  const modal = useModal('delete_organization', onClose)
  const gone = useLeaveOrganization()
  const remove = useMutation(deleteOrganizationMutation(api))
  const { name, member_count: people } = organization
  const confirm = async () => {
    await remove.mutateAsync({ organization, confirmName: name })
    await gone(organization.public_id)
  }
  return (
    <AskDialog
      modal={modal}
      title={`Delete ${name}?`}
      text={`${people === 1 ? 'You are' : `${people} people are`} in it. This cannot be undone.`}
      verb="Delete organization"
      busyVerb="Deleting..."
      typedName={name}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => void confirm().catch(() => {})}
    />
  )
}
