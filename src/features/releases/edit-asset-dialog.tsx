import { useMutation } from '@tanstack/react-query'
import type { Infer } from 'superstruct'
import { assetKinds } from '../../../contract/device/manifest-fields'
import { type Asset, AssetChange } from '../../../contract/updates/release-assets'
import { updateAssetMutation } from '../../api/mutations/updates/releases'
import { BoundForm } from '../../system/form/bound-form'
import { ConflictNotice, formatValue } from '../../system/form/conflict-notice'
import { type EditConflict, useEditConflict } from '../../system/form/edit-conflict'
import { textOf } from '../../lib/form-data'
import { useForm } from '../../system/form/form'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import * as Dialog from '../../ui/overlay/dialog'
import { Pair } from '../../ui/form/form'
import { SelectField } from '../../ui/form/select-field'
import { TextField } from '../../ui/form/text-field'

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

type AssetFields = Infer<typeof AssetChange>
const fieldsOf = ({ kind, install_location, mode }: Asset): AssetFields => ({ kind, install_location, mode })
const labels = { kind: 'Kind', install_location: 'Install location', mode: 'Mode' }
const say = (field: string, value: unknown) => (field === 'kind' ? kinds[value as Asset['kind']] : formatValue(value))

const EditForm = ({ edit, close, cancel }: { edit: EditConflict<Asset, AssetFields>; close: () => void; cancel: () => void }) => {
  const { base, conflict } = edit
  const form = useForm({ schema: AssetChange, read, save: (body) => edit.save(body), onSaved: close })
  return (
    <BoundForm
      form={form}
      dense
      inDialog
      onCancel={cancel}
      conflict={
        conflict && (
          <ConflictNotice
            conflict={conflict}
            labels={labels}
            say={say}
            onKeepMine={edit.keepMine}
            onTakeTheirs={edit.takeTheirs}
          />
        )
      }
    >
      <SelectField
        {...form.field('kind')}
        label="Kind"
        items={assetKinds.map((value) => ({ value, label: kinds[value] }))}
        defaultValue={base.kind}
      />
      <Pair>
        <TextField
          {...form.field('install_location')}
          label="Install location"
          mono
          defaultValue={base.install_location ?? ''}
          hint="An absolute path on the device. A payload and an archive need one."
        />
        <TextField
          {...form.field('mode')}
          label="Mode"
          mono
          placeholder="0644"
          defaultValue={base.mode ?? ''}
          hint="An octal file mode such as 0644."
        />
      </Pair>
    </BoundForm>
  )
}

/** What devices do with a file of a draft. Its name and bytes stay. */
export const EditAssetDialog = ({ asset, onClose }: { asset: Asset; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('edit_asset', onClose)
  const { mutateAsync } = useMutation(updateAssetMutation(api))
  // The page reads the assets again under the open dialog.
  const edit = useEditConflict(asset, fieldsOf, (object, body) => mutateAsync({ asset: object, body }))
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
        <EditForm key={edit.base.revision} edit={edit} close={close} cancel={cancel} />
      </Dialog.Window>
    </Dialog.Root>
  )
}
