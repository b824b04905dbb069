import { useMutation } from '@tanstack/react-query'
import { ProvenPassword } from '../../../contract/accounts/account'
import type { Identity } from '../../../contract/accounts/identities'
import { disconnectIdentityMutation } from '../../api/mutations/accounts/account'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import { useModal } from '../../system/modals/use-modal'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'
import * as Dialog from '../../ui/overlay/dialog'
import { PasswordField } from '../../ui/form/password-field'

type Props = { identity: Identity; onClose: () => void }

export const DisconnectDialog = ({ identity, onClose }: Props) => {
  const { close, cancel, root } = useModal('disconnect_identity', onClose)
  const { api } = useSystem()
  const { mutateAsync } = useMutation(disconnectIdentityMutation(api, identity.id))
  const form = useForm({
    schema: ProvenPassword,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: () => {
      close()
      void notify({
        kind: 'success',
        text: 'Company account disconnected',
        detail: 'The other sessions that it began were ended.',
      })
    },
  })
  return (
    <Dialog.Root {...root} closeOnInteractOutside={false}>
      <Dialog.Window
        title="Disconnect company account"
        description={`${identity.email} of ${identity.provider} no longer signs in to this account. To connect it again, sign in with it and enter your password.`}
      >
        <BoundForm form={form} dense inDialog onCancel={cancel} submitLabel="Disconnect" submittingLabel="Disconnecting...">
          <PasswordField
            {...form.field('current_password')}
            label="Password"
            required
            autoFocus
            autoComplete="current-password"
          />
        </BoundForm>
      </Dialog.Window>
    </Dialog.Root>
  )
}
