import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { emailChangeHours, EmailChangeForm } from '../../../contract/accounts/email-change'
import { requestEmailChangeMutation } from '../../api/mutations/accounts/email-change'
import { selfQuery } from '../../api/queries/accounts/self'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import { useModal } from '../../system/modals/use-modal'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'
import * as Dialog from '../../ui/overlay/dialog'
import { PasswordField } from '../../ui/form/password-field'
import { TextField } from '../../ui/form/text-field'

export const EmailDialog = ({ onClose }: { onClose: () => void }) => {
  const { close, cancel, root } = useModal('change_email', onClose)
  const { api } = useSystem()
  const { data: user } = useSuspenseQuery(selfQuery(api))
  const { mutateAsync } = useMutation(requestEmailChangeMutation(api))
  const form = useForm({
    schema: EmailChangeForm,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: () => {
      close()
      void notify({ kind: 'success', text: 'Links were mailed', detail: 'The address changes once both are confirmed.' })
    },
  })
  return (
    <Dialog.Root {...root} closeOnInteractOutside={false}>
      <Dialog.Window
        title="Change e-mail address"
        description={`We mail a link to the new address and one to ${user.email}. Confirm both within ${emailChangeHours} hours.`}
      >
        <BoundForm form={form} dense inDialog onCancel={cancel} submitLabel="Send links" submittingLabel="Sending...">
          <TextField {...form.field('email')} label="New e-mail address" required autoFocus type="email" autoComplete="email" />
          <PasswordField {...form.field('current_password')} label="Password" required autoComplete="current-password" />
          {user.mfa_enabled && (
            <TextField
              {...form.field('code')}
              label="Code"
              required
              mono
              autoComplete="one-time-code"
              hint="From your app, or a recovery code."
            />
          )}
        </BoundForm>
      </Dialog.Window>
    </Dialog.Root>
  )
}
