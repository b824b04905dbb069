import { useMutation } from '@tanstack/react-query'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { rebootRules } from '../../../contract/device/manifest-fields'
import { isEditable, type Release, ReleaseChange } from '../../../contract/releases'
import { updateReleaseMutation } from '../../api/mutations/releases'
import { BoundForm } from '../../system/bound-form'
import { useForm } from '../../system/form'
import { lazyPart } from '../../system/lazy'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import * as Dialog from '../../ui/dialog'
import { Pair } from '../../ui/form/form'
import { SelectField } from '../../ui/form/select-field'
import { NumberField, TextareaField, TextField } from '../../ui/form/text-field'
import { bundleOf, listOf, noBundle, numberOrNull, textOf } from './release-fields'

const BundleField = lazyPart(() => import('./bundle-field').then((loaded) => loaded.BundleField))

const part = css({ textStyle: 'strong', mt: '8' })

const hint = css({ textStyle: 'small', color: 'muted' })

const reboots: Record<Release['reboot'], string> = {
  never: 'Never',
  after_install: 'After installation',
  if_needed: 'If needed',
}
const hooks = [
  ['pre_install', 'Hook before installation'],
  ['post_install', 'Hook after installation'],
  ['post_reboot', 'Hook after reboot'],
] as const
/** Ark's select has no empty value. */
const noHook = 'none'

const returnText = (release: Release) => release.may_return_to?.join(', ') ?? ''
const hookOf = (data: FormData, name: string) => {
  const id = textOf(data, `hooks.${name}`)
  return id === '' || id === noHook ? null : id
}

/** The values of the controls, as the contract's body. An empty control removes the previous value. */
const reader = (release: Release) => (data: FormData) => ({
  name: textOf(data, 'name'),
  version: numberOrNull(textOf(data, 'version')),
  display_version: textOf(data, 'display_version') || null,
  hardware_models: listOf(textOf(data, 'hardware_models')),
  min_installed_version: numberOrNull(textOf(data, 'min_installed_version')),
  rollback_version: numberOrNull(textOf(data, 'rollback_version')),
  secure_boot_bundle_id: bundleOf(textOf(data, 'secure_boot_bundle_id')),
  allow_downgrade_from: listOf(textOf(data, 'allow_downgrade_from')).map(Number),
  // An untouched list is filled when the manifest is built.
  ...(textOf(data, 'may_return_to') !== returnText(release) && {
    may_return_to: listOf(textOf(data, 'may_return_to')).map(Number),
  }),
  reboot: textOf(data, 'reboot'),
  hooks: Object.fromEntries(hooks.map(([name]) => [name, hookOf(data, name)])),
  description: textOf(data, 'description'),
  notes: textOf(data, 'notes'),
})

/** What a signature does not cover. */
const readTexts = (data: FormData) => ({ description: textOf(data, 'description'), notes: textOf(data, 'notes') })

type Field = (name: string) => { name: string; error: string | undefined }

const SignedFields = ({ release, field }: { release: Release; field: Field }) => {
  const files = release.assets.filter(({ kind }) => kind === 'hook')
  const options = [{ value: noHook, label: 'None' }, ...files.map(({ id, name }) => ({ value: id, label: name }))]
  return (
    <>
      <TextField {...field('name')} label="Name" required autoFocus defaultValue={release.name} />
      <Pair>
        <NumberField
          {...field('version')}
          label="Version"
          required
          defaultValue={String(release.version)}
          hint="A whole number, higher than in earlier releases. Devices compare it."
        />
        <TextField
          {...field('display_version')}
          label="Display version"
          mono
          defaultValue={release.display_version ?? ''}
          hint="The version as shown to people."
        />
      </Pair>
      <TextField
        {...field('hardware_models')}
        label="Hardware models"
        required
        mono
        defaultValue={release.hardware_models.join(', ')}
        hint="Model ids, separated by commas. Other devices refuse the release."
      />
      <h3 className={part}>Versions</h3>
      <Pair>
        <NumberField
          {...field('min_installed_version')}
          label="Minimum installed version"
          defaultValue={String(release.min_installed_version ?? '')}
          hint="Devices below it refuse the release."
        />
        <NumberField
          {...field('rollback_version')}
          label="Rollback version"
          defaultValue={String(release.rollback_version ?? '')}
          hint="The anti-rollback number. Devices with a higher one refuse the release."
        />
        <TextField
          {...field('allow_downgrade_from')}
          label="May replace newer versions"
          mono
          defaultValue={release.allow_downgrade_from?.join(', ') ?? ''}
          hint="Newer versions that may be downgraded to this one, separated by commas."
        />
        <TextField
          {...field('may_return_to')}
          label="May return to"
          mono
          defaultValue={returnText(release)}
          hint="Older versions that a rollback may return to. Unchanged, it is filled when the manifest is built."
        />
      </Pair>
      <Suspense fallback={<input type="hidden" name="secure_boot_bundle_id" value={release.secure_boot_bundle_id ?? noBundle} />}>
        <BundleField
          field={field('secure_boot_bundle_id')}
          projectId={release.project_id}
          start={release.secure_boot_bundle_id}
        />
      </Suspense>
      <h3 className={part}>Installation</h3>
      <Pair>
        <SelectField
          {...field('reboot')}
          label="Reboot"
          items={rebootRules.map((value) => ({ value, label: reboots[value] }))}
          defaultValue={release.reboot}
          hint="If needed: for a root file system image only."
        />
        {files.length > 0 &&
          hooks.map(([name, label]) => (
            <SelectField
              key={name}
              {...field(`hooks.${name}`)}
              label={label}
              items={options}
              defaultValue={release.hooks[name] ?? noHook}
            />
          ))}
      </Pair>
      {files.length === 0 && (
        <p className={hint}>To run a script before or after the installation, set the kind of its file to hook under Assets.</p>
      )}
    </>
  )
}

/** All fields of a draft; of a later release the texts that are not signed. Its files are on the assets page. */
export const EditReleaseDialog = ({ release, onClose }: { release: Release; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, root } = useModal('edit_release', onClose)
  const { mutateAsync } = useMutation(updateReleaseMutation(api))
  const isDraft = isEditable(release.state)
  const form = useForm({
    schema: ReleaseChange,
    read: isDraft ? reader(release) : readTexts,
    save: (body) => mutateAsync({ release, body }),
    onSaved: close,
  })
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title={`Edit ${release.name}`}
        description={
          isDraft
            ? 'The manifest is built from these fields and the files.'
            : 'The manifest is built: only the texts that it does not contain can be changed.'
        }
      >
        <BoundForm form={form} dense inDialog onCancel={close}>
          {isDraft && <SignedFields release={release} field={form.field} />}
          <TextareaField
            {...form.field('description')}
            label="Description"
            limit={512}
            autoFocus={!isDraft}
            defaultValue={release.description}
          />
          <TextareaField
            {...form.field('notes')}
            label="Release notes"
            defaultValue={release.notes}
            hint="For people; devices do not get them."
          />
        </BoundForm>
      </Dialog.Window>
    </Dialog.Root>
  )
}
