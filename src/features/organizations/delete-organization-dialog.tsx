import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Organization } from '../../../contract/accounts/organization'
import { failureOf } from '../../api/failure'
import { deleteOrganizationMutation } from '../../api/mutations/accounts/organizations'
import { isTypedName } from '../../lib/typed-name'
import { useLeaveOrganization } from '../../system/scope/leave-organization'
import { describeFailure } from '../../system/failure/failure-text'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'
import { TextField } from '../../ui/form/text-field'

/** An irreversible action requires typing the name. */
export const DeleteOrganizationDialog = ({ organization, onClose }: { organization: Organization; onClose: () => void }) => {
  const { api } = useSystem()
  const { cancel, root } = useModal('delete_organization', onClose)
  const gone = useLeaveOrganization()
  const [typed, setTyped] = useState('')
  const remove = useMutation(deleteOrganizationMutation(api))
  const failure = failureOf(remove.error)
  const { name, member_count: people } = organization
  const confirm = async () => {
    await remove.mutateAsync({ organization, confirmName: name })
    await gone(organization.public_id)
  }
  return (
    <Dialog.Root {...root} role="alertdialog">
      <Dialog.Window
        title={`Delete ${name}?`}
        description={`${people === 1 ? 'You are' : `${people} people are`} in it. This cannot be undone.`}
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button
              variant="danger"
              disabled={!isTypedName(typed, name)}
              busy={remove.isPending}
              busyLabel="Deleting..."
              onClick={() => void confirm().catch(() => {})}
            >
              Delete organization
            </Button>
          </>
        }
      >
        <TextField
          label={`Type ${name} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          error={failure && (describeFailure(failure) ?? failure.message)}
        />
      </Dialog.Window>
    </Dialog.Root>
  )
}
