import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import type { FusePlan } from '../../../contract/updates/secure-boot/fuses'
import { planScriptMutation } from '../../api/mutations/updates/bundles'
import type { PlanQuestion } from '../../api/queries/updates/fuse-plan'
import { saveFile } from '../../lib/save-file'
import { isTypedName } from '../../lib/typed-name'
import { FailureBox } from '../../system/failure/failure-box'
import { notKnownText } from '../../system/form/held-request'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'
import { TextField } from '../../ui/form/text-field'

type Props = { bundle: SecureBootBundle; plan: FusePlan; question: PlanQuestion; onClose: () => void }

const fileName = (name: string, version: number) => `fuse-plan-${name.replace(/[^\w.-]+/g, '-')}-v${version}.sh`

/** A script that writes fuses is handed out only to somebody who typed what it is for. */
export const ScriptDialog = ({ bundle, plan, question, onClose }: Props) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('fuse_script', onClose)
  const [typed, setTyped] = useState('')
  const { mutate, error, isPending } = useMutation(planScriptMutation(api))
  const download = () =>
    mutate(
      { bundleId: bundle.id, confirm: typed.trim(), ...question },
      {
        onSuccess: (script) => {
          saveFile(fileName(bundle.name, bundle.version), script, 'text/x-shellscript')
          close()
        },
      },
    )
  return (
    <Dialog.Root {...root} role="alertdialog">
      <Dialog.Window
        title={`Download the script of ${bundle.name}?`}
        description={`Run on a board, it writes ${plan.irreversible_count} ${plan.irreversible_count === 1 ? 'step' : 'steps'} that can never be undone. It asks before each of them. The download is recorded in the audit log.`}
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button
              variant="danger"
              disabled={!isTypedName(typed, bundle.name)}
              busy={isPending}
              busyLabel="Downloading..."
              onClick={download}
            >
              Download script
            </Button>
          </>
        }
      >
        <TextField
          label={`Type ${bundle.name} to confirm`}
          required
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        {error && <FailureBox error={error} unanswered={notKnownText} />}
      </Dialog.Window>
    </Dialog.Root>
  )
}
