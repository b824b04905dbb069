import { useMutation } from '@tanstack/react-query'
import { Suspense } from 'react'
import type { Infer } from 'superstruct'
import { isEditable, type Release, ReleaseChange } from '../../../contract/updates/releases'
import { updateReleaseMutation } from '../../api/mutations/updates/releases'
import { BoundForm } from '../../system/form/bound-form'
import { ConflictNotice, formatValue } from '../../system/form/conflict-notice'
import { type EditConflict, type Fields, useEditConflict } from '../../system/form/edit-conflict'
import { useForm } from '../../system/form/form'
import { lazyPart } from '../../system/page/lazy'
import { useModal } from '../../system/modals/use-modal'
import { flattenFields, nestFields } from '../../system/form/nested-fields'
import { useSystem } from '../../system/system'
import * as Dialog from '../../ui/overlay/dialog'
import { FieldSkeleton } from '../../ui/form/field-skeleton'
import { TextareaField } from '../../ui/form/text-field'
import { fieldsOf, labels, readDraft, readTexts, reboots } from './release-form'

const SignedFields = lazyPart(() => import('./signed-fields').then((part) => part.SignedFields))

/** A value of a conflict; a hook by the name of its file. */
const sayOf = (releases: readonly Release[]) => (field: string, value: unknown) => {
  if (field === 'reboot') return reboots[value as Release['reboot']]
  const file = releases.flatMap(({ assets }) => assets).find(({ id }) => field.startsWith('hooks.') && id === value)
  return file?.name ?? formatValue(value)
}

type FormProps = { edit: EditConflict<Release, Fields>; close: () => void; cancel: () => void }

const EditForm = ({ edit, close, cancel }: FormProps) => {
  const { base, conflict } = edit
  const isDraft = isEditable(base.state)
  const form = useForm({
    schema: ReleaseChange,
    read: isDraft ? readDraft(base) : readTexts,
    save: ({ hooks = {}, ...body }) => edit.save({ ...body, ...flattenFields('hooks', hooks) }),
    onSaved: close,
  })
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
            say={sayOf([base, conflict.current])}
            onKeepMine={edit.keepMine}
            onTakeTheirs={edit.takeTheirs}
          />
        )
      }
    >
      {isDraft && <SignedFields release={base} field={form.field} />}
      <TextareaField
        {...form.field('description')}
        label="Description"
        limit={512}
        autoFocus={!isDraft}
        defaultValue={base.description}
      />
      <TextareaField
        {...form.field('notes')}
        label="Release notes"
        defaultValue={base.notes}
        hint="For people; devices do not get them."
      />
    </BoundForm>
  )
}

/** All fields of a draft; of a later release the texts that are not signed. Its files are on the assets page. */
export const EditReleaseDialog = ({ release, onClose }: { release: Release; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('edit_release', onClose)
  const { mutateAsync } = useMutation(updateReleaseMutation(api))
  // The page reads the release again under the open dialog.
  const edit = useEditConflict(release, fieldsOf, (object, fields) =>
    // The fields of `fieldsOf`, which are those of the body.
    mutateAsync({ release: object, body: nestFields('hooks', fields) as Infer<typeof ReleaseChange> }),
  )
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title={`Edit ${edit.base.name}`}
        description={
          isEditable(edit.base.state)
            ? 'The manifest is built from these fields and the files.'
            : 'The manifest is built: only the texts that it does not contain can be changed.'
        }
      >
        {/* As a whole: a form is read from its fields. */}
        <Suspense fallback={<FieldSkeleton />}>
          <EditForm key={edit.base.revision} edit={edit} close={close} cancel={cancel} />
        </Suspense>
      </Dialog.Window>
    </Dialog.Root>
  )
}
