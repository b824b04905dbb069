import { useMutation } from '@tanstack/react-query'
import type { NewHardwareModel } from '../../../contract/fleet/hardware-model-changes'
import type { Project } from '../../../contract/accounts/projects'
import { failureOf } from '../../api/failure'
import { updateProjectMutation } from '../../api/mutations/accounts/projects'
import { describeFailure } from '../../system/failure/failure-text'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'
import { withFormer } from './model-change'

type Change = { text: string; modelId: string; before: Project; saved: Project }

/** Saves the hardware models of a project; `announce` says what was done, with an Undo that restores the model. */
export const useChangeModels = () => {
  const { api } = useSystem()
  const { mutateAsync, isPending, error } = useMutation(updateProjectMutation(api))
  const save = (project: Project, hardware_models: readonly NewHardwareModel[]) =>
    mutateAsync({ project, body: { settings: { hardware_models: [...hardware_models] } } })
  const announce = ({ text, modelId, before, saved }: Change) => {
    const undo = async () => {
      try {
        await save(saved, withFormer(saved, modelId, before))
      } catch (thrown) {
        const failure = failureOf(thrown)
        const detail = failure && (describeFailure(failure) ?? failure.message)
        void notify({ kind: 'error', text: 'The change could not be undone', ...(detail !== undefined && { detail }) })
      }
    }
    void notify({ kind: 'success', text, action: { label: 'Undo', onClick: () => void undo() } })
  }
  return { save, announce, isPending, error, failure: failureOf(error) }
}
