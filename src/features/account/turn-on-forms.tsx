import { useMutation } from '@tanstack/react-query'
import { FactorConfirmation, type FactorSecret, ProvenPassword } from '../../../contract/accounts/account'
import { beginSecondFactorMutation, confirmSecondFactorMutation } from '../../api/mutations/accounts/account'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import { useSystem } from '../../system/system'
import { PasswordField } from '../../ui/form/password-field'
import { TextField } from '../../ui/form/text-field'
import { AppSecret } from './app-secret'

type Step<T> = { onNext: (made: T) => void; onCancel: () => void }

export const VerifyPasswordForm = ({ onNext, onCancel }: Step<FactorSecret>) => {
  const { api } = useSystem()
  const { mutateAsync } = useMutation(beginSecondFactorMutation(api))
  const form = useForm({ schema: ProvenPassword, save: (body, extra) => mutateAsync({ body, ...extra }), onSaved: onNext })
  return (
    <BoundForm form={form} dense inDialog onCancel={onCancel} submitLabel="Continue" submittingLabel="Checking...">
      <PasswordField {...form.field('current_password')} label="Password" required autoFocus autoComplete="current-password" />
    </BoundForm>
  )
}

export const ConfirmForm = ({ secret, onNext, onCancel }: Step<readonly string[]> & { secret: FactorSecret }) => {
  const { api } = useSystem()
  const { mutateAsync } = useMutation(confirmSecondFactorMutation(api))
  const form = useForm({
    schema: FactorConfirmation,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: ({ recovery_codes }) => onNext(recovery_codes),
  })
  return (
    <>
      <AppSecret secret={secret} />
      <BoundForm form={form} dense inDialog onCancel={onCancel} submitLabel="Turn on" submittingLabel="Turning on...">
        <TextField
          {...form.field('code')}
          label="Code"
          required
          mono
          autoFocus
          inputMode="numeric"
          autoComplete="one-time-code"
          hint="Six digits. The code changes every 30 seconds."
        />
      </BoundForm>
    </>
  )
}
