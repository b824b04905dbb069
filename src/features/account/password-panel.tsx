import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { PasswordChange } from '../../../contract/accounts/account'
import { changePasswordMutation } from '../../api/mutations/accounts/account'
import { selfQuery } from '../../api/queries/accounts/self'
import { BoundForm } from '../../system/form/bound-form'
import { useForm } from '../../system/form/form'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'
import { PasswordField } from '../../ui/form/password-field'
import { Panel } from '../../ui/layout/panel'

/** A form has a margin below a page's head; a panel has one already. */
const flushTop = css({ mt: '-12', maxW: 'form' })

const PasswordForm = ({ onSaved }: { onSaved: () => void }) => {
  const { api } = useSystem()
  const { data: user } = useSuspenseQuery(selfQuery(api))
  const { mutateAsync } = useMutation(changePasswordMutation(api))
  const form = useForm({
    schema: PasswordChange,
    read: (data) => ({ current_password: data.get('current_password'), new_password: data.get('new_password') }),
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: () => {
      onSaved()
      void notify({ kind: 'success', text: 'Password changed', detail: 'All other sessions were signed out.' })
    },
  })
  return (
    <BoundForm form={form} full dense submitLabel="Change password" submittingLabel="Changing...">
      {/* Tells password managers whose password this is. */}
      <input hidden readOnly autoComplete="username" name="username" value={user.email} />
      <PasswordField {...form.field('current_password')} label="Current password" required autoComplete="current-password" />
      <PasswordField
        {...form.field('new_password')}
        label="New password"
        required
        autoComplete="new-password"
        hint="At least 12 characters. A few words are fine. All other sessions are signed out."
      />
    </BoundForm>
  )
}

export const PasswordPanel = () => {
  const [changes, setChanges] = useState(0)
  return (
    <Panel title="Password">
      <div className={flushTop}>
        <PasswordForm key={changes} onSaved={() => setChanges((count) => count + 1)} />
      </div>
    </Panel>
  )
}
