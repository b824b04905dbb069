import { useMutation } from '@tanstack/react-query'
import { maxUploadBytes } from '../../../contract/core/limits'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import type { ArtifactRole } from '../../../contract/updates/secure-boot/platforms'
import { createArtifactMutation } from '../../api/mutations/updates/bundles'
import { failureOf } from '../../api/failure'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'

export type ChosenPart = { file: File; role: ArtifactRole }

/** §5: such a file is refused for every purpose. */
const canBeSent = ({ size }: File) => size > 0 && size <= maxUploadBytes

/** Creates a part of the bundle for each file, then starts its upload. A refused file does not stop the others. */
export const useAddParts = () => {
  const { api, uploads } = useSystem()
  const { mutateAsync } = useMutation(createArtifactMutation(api))
  return async (bundle: SecureBootBundle, parts: readonly ChosenPart[]) => {
    for (const { file, role } of parts) {
      // The panel shows the reason; the bundle needs no part for it.
      if (!canBeSent(file)) {
        uploads.add([{ file, purpose: 'bundle_artifact', targetId: bundle.id }])
        continue
      }
      try {
        const part = await mutateAsync({ bundleId: bundle.id, body: { role, file_name: file.name, size: file.size } })
        uploads.add([{ file, purpose: 'bundle_artifact', targetId: part.id }])
      } catch (error) {
        const failure = failureOf(error)
        void notify({
          kind: 'error',
          text: failure?.details[0]?.message ?? failure?.message ?? 'The file was not added',
          detail: file.name,
        })
      }
    }
  }
}
