import type { ComponentProps } from 'react'
import { BoundForm } from '../../system/form/bound-form'
import { PasswordField } from '../../ui/form/password-field'
import { TextField } from '../../ui/form/text-field'

type Props = Pick<ComponentProps<typeof BoundForm>, 'submitLabel' | 'submittingLabel'> & {
  form: ComponentProps<typeof BoundForm>['form'] & { field: (name: string) => { name: string; error: string | undefined } }
  onCancel: () => void
}

/** Asks for password and code, before a change that weakens either. */
export const BothFactorsForm = ({ form, ...rest }: Props) => (
  <BoundForm form={form} dense inDialog {...rest}>
    <PasswordField {...form.field('current_password')} label="Password" required autoFocus autoComplete="current-password" />
    <TextField
      {...form.field('code')}
      label="Code"
      required
      mono
      autoComplete="one-time-code"
      hint="From your app, or a recovery code."
    />
  </BoundForm>
)
