import { useMutation } from '@tanstack/react-query'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import type { FusePlan } from '../../../contract/updates/secure-boot/fuses'
import { planScriptMutation } from '../../api/mutations/updates/bundles'
import type { PlanQuestion } from '../../api/queries/updates/fuse-plan'
import { saveFile } from '../../lib/save-file'
import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'

type Props = { bundle: SecureBootBundle; plan: FusePlan; question: PlanQuestion; onClose: () => void }

const fileName = (name: string, version: number) => `fuse-plan-${name.replace(/[^\w.-]+/g, '-')}-v${version}.sh`

/** A script that writes fuses is handed out only to somebody who typed what it is for. */
export const ScriptDialog = ({ bundle, plan, question, onClose }: Props) => {
  const { api } = useSystem()
  const modal = useModal('fuse_script', onClose)
  const { mutate, error, isPending } = useMutation(planScriptMutation(api))
  const download = () =>
    mutate(
      { bundleId: bundle.id, confirm: bundle.name, ...question },
      {
        onSuccess: (script) => {
          saveFile(fileName(bundle.name, bundle.version), script, 'text/x-shellscript')
          modal.close()
        },
      },
    )
  return (
    <AskDialog
      modal={modal}
      title={`Download the script of ${bundle.name}?`}
      text={`Run on a board, it writes ${plan.irreversible_count} ${plan.irreversible_count === 1 ? 'step' : 'steps'} that can never be undone. It asks before each of them. The download is recorded in the audit log.`}
      verb="Download script"
      busyVerb="Downloading..."
      typedName={bundle.name}
      busy={isPending}
      error={error}
      onConfirm={download}
    />
  )
}
