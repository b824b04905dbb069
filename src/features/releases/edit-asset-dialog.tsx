import { useMutation } from '@tanstack/react-query'
import { assetKinds } from '../../../contract/device/manifest-fields'
import { type Asset, AssetChange } from '../../../contract/release-assets'
import { updateAssetMutation } from '../../api/mutations/releases'
import { BoundForm } from '../../system/bound-form'
import { useForm } from '../../system/form'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import * as Dialog from '../../ui/dialog'
import { Pair } from '../../ui/form/form'
import { SelectField } from '../../ui/form/select-field'
import { TextField } from '../../ui/form/text-field'
import { textOf } from './release-fields'

const kinds: Record<Asset['kind'], string> = {
  payload: 'Payload: a file to install',
  rootfs: 'Root file system image',
  archive: 'Archive to unpack',
  hook: 'Hook: a script to run',
  sbom: 'SBOM',
  notes: 'Notes',
  delta: 'Delta',
  bundle: 'Bundle for SWUpdate, RAUC or Zephyr',
}

const read = (data: FormData) => ({
  kind: textOf(data, 'kind'),
  install_location: textOf(data, 'install_location') || null,
  mode: textOf(data, 'mode') || null,
})

/** What devices do with a file of a draft. Its name and bytes stay. */
export const EditAssetDialog = ({ asset, onClose }: { asset: Asset; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, root } = useModal('edit_asset', onClose)
  const { mutateAsync } = useMutation(updateAssetMutation(api))
  const form = useForm({ schema: AssetChange, read, save: (body) => mutateAsync({ asset, body }), onSaved: close })
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={
          <>
            Edit <code>{asset.name}</code>
          </>
        }
        description="The manifest contains these fields. A hook runs only if the release names it: see Edit of the release."
      >
        <BoundForm form={form} dense inDialog onCancel={close}>
          <SelectField
            {...form.field('kind')}
            label="Kind"
            items={assetKinds.map((value) => ({ value, label: kinds[value] }))}
            defaultValue={asset.kind}
          />
          <Pair>
            <TextField
              {...form.field('install_location')}
              label="Install location"
              mono
              defaultValue={asset.install_location ?? ''}
              hint="An absolute path on the device. A payload and an archive need one."
            />
            <TextField
              {...form.field('mode')}
              label="Mode"
              mono
              placeholder="0644"
              defaultValue={asset.mode ?? ''}
              hint="An octal file mode such as 0644."
            />
          </Pair>
        </BoundForm>
      </Dialog.Window>
    </Dialog.Root>
  )
}
