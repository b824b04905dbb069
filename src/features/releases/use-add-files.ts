import { useMutation } from '@tanstack/react-query'
import { maxUploadBytes } from '../../../contract/core/limits'
import type { Asset } from '../../../contract/updates/release-assets'
import type { Release } from '../../../contract/updates/releases'
import { createAssetMutation } from '../../api/mutations/updates/releases'
import { failureOf } from '../../api/failure'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'

const kinds = { file: 'payload', rootfs: 'rootfs', zip_archive: 'archive', bundle: 'bundle' } as const satisfies Record<
  Release['type'],
  Asset['kind']
>

/** The names of SBOM files that CycloneDX and SPDX recommend. */
const isSbomName = (name: string) => /(?:\.cdx|\.spdx)\.json$|^s?bom\.json$/i.test(name)

const located: ReadonlySet<Asset['kind']> = new Set(['payload', 'archive'])

type Added = { release: Release; files: readonly File[]; directory: string }

/** §5: such a file is refused for every purpose. */
const canBeSent = ({ size }: File) => size > 0 && size <= maxUploadBytes

/** Creates an asset of the draft for each file, then starts its upload. A refused file does not stop the others. */
export const useAddFiles = () => {
  const { api, uploads } = useSystem()
  const { mutateAsync } = useMutation(createAssetMutation(api))
  return async ({ release, files, directory }: Added) => {
    for (const file of files) {
      // The panel shows the reason; the release needs no asset for it.
      if (!canBeSent(file)) {
        uploads.add([{ file, purpose: 'release_asset', targetId: release.id }])
        continue
      }
      const kind: Asset['kind'] = isSbomName(file.name) ? 'sbom' : kinds[release.type]
      const body = {
        name: file.name,
        kind,
        size: file.size,
        install_location: located.has(kind) ? `${directory.replace(/\/+$/, '')}/${file.name}` : null,
      }
      try {
        const asset = await mutateAsync({ releaseId: release.id, body })
        uploads.add([{ file, purpose: 'release_asset', targetId: asset.id }])
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
