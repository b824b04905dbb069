import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { BothFactors, type FactorSecret } from '../../../contract/accounts/account'
import { removeSecondFactorMutation, renewRecoveryCodesMutation } from '../../api/mutations/accounts/account'
import { useForm } from '../../system/form/form'
import { useModal } from '../../system/modals/use-modal'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'
import * as Dialog from '../../ui/overlay/dialog'
import { BothFactorsForm } from './both-factors-form'
import { ConfirmForm, VerifyPasswordForm } from './turn-on-forms'
import { RecoveryCodeList } from './recovery-code-list'

type Closing = { onClose: () => void }
type Words = { title: string; description: string }
type Framed = Words & { root: ReturnType<typeof useModal>['root']; shownOnce?: boolean; children: ReactNode }

const keep: Words = {
  title: 'Save your recovery codes',
  description: 'Each code replaces one code from your app.',
}

/** One window for all steps: a click outside does not close it, so that typed text is not lost. */
const Frame = ({ title, description, root, shownOnce, children }: Framed) => (
  <Dialog.Root {...root} closeOnInteractOutside={false} {...(shownOnce && Dialog.shownOnce)}>
    <Dialog.Window title={title} description={description}>
      {children}
    </Dialog.Window>
  </Dialog.Root>
)

const turnOnWords = (secret: FactorSecret | undefined): Words =>
  secret
    ? { title: 'Scan with your app', description: 'Use any authenticator app, then enter the code that it shows.' }
    : { title: 'Turn on two-step sign-in', description: 'Enter your password to continue.' }

/** Steps: password, QR code, recovery codes; each step uses the result of the one before. */
export const TurnOnDialog = ({ onClose }: Closing) => {
  const { close, cancel, root } = useModal('turn_on_factor', onClose)
  const [secret, setSecret] = useState<FactorSecret>()
  const [codes, setCodes] = useState<readonly string[]>()
  return (
    <Frame {...(codes ? keep : turnOnWords(secret))} root={root} shownOnce={codes !== undefined}>
      {codes && <RecoveryCodeList codes={codes} onKept={close} />}
      {!codes && secret && <ConfirmForm secret={secret} onNext={setCodes} onCancel={cancel} />}
      {!codes && !secret && <VerifyPasswordForm onNext={setSecret} onCancel={cancel} />}
    </Frame>
  )
}

export const TurnOffDialog = ({ onClose }: Closing) => {
  const { close, cancel, root } = useModal('turn_off_factor', onClose)
  const { api } = useSystem()
  const { mutateAsync } = useMutation(removeSecondFactorMutation(api))
  const form = useForm({
    schema: BothFactors,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: () => {
      close()
      void notify({ kind: 'success', text: 'Two-step sign-in is off' })
    },
  })
  return (
    <Frame
      title="Turn off two-step sign-in"
      description="You will sign in with your password alone. The recovery codes stop working."
      root={root}
    >
      <BothFactorsForm form={form} onCancel={cancel} submitLabel="Turn off" submittingLabel="Turning off..." />
    </Frame>
  )
}

export const RenewDialog = ({ onClose }: Closing) => {
  const { close, cancel, root } = useModal('renew_codes', onClose)
  const { api } = useSystem()
  const { mutateAsync } = useMutation(renewRecoveryCodesMutation(api))
  const [codes, setCodes] = useState<readonly string[]>()
  const form = useForm({
    schema: BothFactors,
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: ({ recovery_codes }) => setCodes(recovery_codes),
  })
  const words = { title: 'Create new recovery codes', description: 'You get ten new codes. The old codes stop working.' }
  return (
    <Frame {...(codes ? keep : words)} root={root} shownOnce={codes !== undefined}>
      {codes ? (
        <RecoveryCodeList codes={codes} onKept={close} />
      ) : (
        <BothFactorsForm form={form} onCancel={cancel} submitLabel="Create new codes" submittingLabel="Creating codes..." />
      )}
    </Frame>
  )
}
