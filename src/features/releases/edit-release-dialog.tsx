import { useMutation } from '@tanstack/react-query'
import { type Release, ReleaseChange } from '../../../contract/releases'
import { updateReleaseMutation } from '../../api/mutations/releases'
import { BoundForm } from '../../system/bound-form'
import { useForm } from '../../system/form'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import * as Dialog from '../../ui/dialog'
import { Pair } from '../../ui/form/form'
import { NumberField, TextareaField, TextField } from '../../ui/form/text-field'

const textOf = (data: FormData, name: string) => {
  const value = data.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** The values of the controls, as the contract's body. An empty display version removes the previous one. */
const read = (data: FormData) => ({
  name: textOf(data, 'name'),
  version: textOf(data, 'version') === '' ? null : Number(textOf(data, 'version')),
  display_version: textOf(data, 'display_version') || null,
  hardware_models: textOf(data, 'hardware_models')
    .split(',')
    .map((model) => model.trim())
    .filter((model) => model !== ''),
  description: textOf(data, 'description'),
})

/** The fields of a draft. Its files are on the assets page. */
export const EditReleaseDialog = ({ release, onClose }: { release: Release; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, root } = useModal('edit_release', onClose)
  const { mutateAsync } = useMutation(updateReleaseMutation(api))
  const form = useForm({ schema: ReleaseChange, read, save: (body) => mutateAsync({ release, body }), onSaved: close })
  return (
    <Dialog.Root {...root}>
      <Dialog.Window wide title={`Edit ${release.name}`} description="The manifest is built from these fields and the files.">
        <BoundForm form={form} dense inDialog onCancel={close}>
          <TextField {...form.field('name')} label="Name" required autoFocus defaultValue={release.name} />
          <Pair>
            <NumberField
              {...form.field('version')}
              label="Version"
              required
              defaultValue={String(release.version)}
              hint="A whole number, higher than in earlier releases. Devices compare it."
            />
            <TextField
              {...form.field('display_version')}
              label="Display version"
              mono
              defaultValue={release.display_version ?? ''}
              hint="The version as shown to people."
            />
          </Pair>
          <TextField
            {...form.field('hardware_models')}
            label="Hardware models"
            required
            mono
            defaultValue={release.hardware_models.join(', ')}
            hint="Model ids, separated by commas. Other devices refuse the release."
          />
          <TextareaField {...form.field('description')} label="Description" limit={512} defaultValue={release.description} />
        </BoundForm>
      </Dialog.Window>
    </Dialog.Root>
  )
}
