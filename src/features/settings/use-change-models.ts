import { useMutation } from '@tanstack/react-query'
import type { NewHardwareModel } from '../../../contract/hardware-model-changes'
import type { Project } from '../../../contract/projects'
import { failureOf } from '../../api/failure'
import { updateProjectMutation } from '../../api/mutations/projects'
import { describeFailure } from '../../system/failure-text'
import { notify } from '../../system/notify'
import { useSystem } from '../../system/system'

/** Saves the hardware models of a project; `announce` says what was done, with an Undo that restores the models before it. */
export const useChangeModels = (project: Project) => {
  const { api } = useSystem()
  const { mutateAsync, isPending, error } = useMutation(updateProjectMutation(api))
  const save = (of: Project, hardware_models: readonly NewHardwareModel[]) =>
    mutateAsync({ project: of, body: { settings: { hardware_models: [...hardware_models] } } })
  const announce = (text: string, saved: Project) => {
    const undo = async () => {
      try {
        await save(saved, project.settings.hardware_models)
      } catch (thrown) {
        const failure = failureOf(thrown)
        const detail = failure && (describeFailure(failure) ?? failure.message)
        void notify({ kind: 'error', text: 'The change could not be undone', ...(detail !== undefined && { detail }) })
      }
    }
    void notify({ kind: 'success', text, action: { label: 'Undo', onClick: () => void undo() } })
  }
  return { save: (models: readonly NewHardwareModel[]) => save(project, models), announce, isPending, failure: failureOf(error) }
}
