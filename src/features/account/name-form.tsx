import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { SelfChange } from '../../../contract/accounts/users'
import { updateSelfMutation } from '../../api/mutations/accounts/users'
import { selfQuery } from '../../api/queries/accounts/self'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'
import { TextField } from '../../ui/form/text-field'

export const NameForm = () => {
  const { api } = useSystem()
  const { data: user } = useSuspenseQuery(selfQuery(api))
  const { mutateAsync } = useMutation(updateSelfMutation(api))
  const form = useForm({
    schema: SelfChange,
    save: (body) => mutateAsync(body),
    onSaved: () => void notify({ kind: 'success', text: 'Saved' }),
  })
  return (
    <BoundForm form={form} full>
      <TextField
        {...form.field('full_name')}
        label="Full name"
        hint="Shown with your actions."
        autoComplete="name"
        defaultValue={user.full_name}
      />
    </BoundForm>
  )
}
