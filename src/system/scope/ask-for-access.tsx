import { useMutation } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { NewAccessRequest } from '../../../contract/accounts/access-requests'
import { is } from 'superstruct'
import { Permission, permissionWords } from '../../../contract/core/permissions'
import { failureOf } from '../../api/failure'
import { createAccessRequestMutation } from '../../api/mutations/accounts/members'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'
import { TextareaField } from '../../ui/form/text-field'
import { BoundForm } from '../form/bound-form'
import { useForm } from '../form/form'
import { useModal } from '../modals/use-modal'
import { notify } from '../failure/notify'
import { useRouteScope } from './scope'
import { useSystem } from '../system'

/** Refusals that answer the question: the person has the permission, or has asked for it before. */
const answers: readonly string[] = ['already_held', 'already_asked']
const answerOf = (error: unknown): string => {
  const failure = failureOf(error)
  if (failure && answers.includes(failure.code)) return failure.message
  throw error
}

type Props = { permission: Permission; organizationId: string; projectId: string | undefined; onClose: () => void }

/** Asks the members who manage roles for a permission. */
export const AskDialog = ({ permission, organizationId, projectId, onClose }: Props) => {
  const { api, queryClient } = useSystem()
  const router = useRouter()
  const { close, cancel, root } = useModal('ask_for_access', onClose)
  const { mutateAsync } = useMutation(createAccessRequestMutation(api, organizationId))
  // A page that was refused opens with the permissions that are read again after the answer.
  const openAgain = async () => {
    await queryClient.invalidateQueries({ queryKey: ['permissions'] }, { cancelRefetch: false })
    await router.invalidate()
  }
  const form = useForm({
    schema: NewAccessRequest,
    read: (data) => ({ permission, reason: data.get('reason'), ...(projectId !== undefined && { project_id: projectId }) }),
    save: (body, extra) => mutateAsync({ body, ...extra }).then(() => undefined, answerOf),
    onSaved: (answer) => {
      close()
      if (answer !== undefined) {
        void notify({ kind: 'info', text: answer })
        void openAgain()
        return
      }
      void notify({
        kind: 'success',
        text: 'Request sent',
        detail: 'The people who manage members got a mail. You get a mail when they decide.',
      })
    },
  })
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={`Ask for “${permissionWords(permission)}”?`}
        description="The people who manage the members of the organization decide."
      >
        <BoundForm form={form} dense inDialog onCancel={cancel} submitLabel="Ask" submittingLabel="Asking...">
          <TextareaField
            {...form.field('reason')}
            label="Reason"
            limit={500}
            autoFocus
            hint="What you need it for. Included in the mail."
          />
        </BoundForm>
      </Dialog.Window>
    </Dialog.Root>
  )
}

/** Users without a permission in an organization may ask the members who can assign it. */
export const AskForAccess = ({ permission }: { permission: string }) => {
  const { scope, projectId } = useRouteScope()
  const [asking, setAsking] = useState(false)
  if (!scope || !is(permission, Permission)) return null
  return (
    <>
      <Button onClick={() => setAsking(true)}>Ask for access</Button>
      {asking && (
        <AskDialog permission={permission} organizationId={scope} projectId={projectId} onClose={() => setAsking(false)} />
      )}
    </>
  )
}
