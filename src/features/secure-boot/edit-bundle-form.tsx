import { useMutation } from '@tanstack/react-query'
import type { SigningKey } from '../../../contract/fleet/keys'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { updateBundleMutation } from '../../api/mutations/updates/bundles'
import { BoundForm } from '../../system/form/bound-form'
import { ConflictNotice } from '../../system/form/conflict-notice'
import { useEditConflict } from '../../system/form/edit-conflict'
import { useForm } from '../../system/form/form'
import { useSystem } from '../../system/system'
import { TextareaField, TextField } from '../../ui/form/text-field'
import { isEditable } from './bundle-display'
import { BundleFields } from './bundle-fields'
import { BundleChangeForm, fieldsOf, readBundle } from './bundle-form'

const labels = {
  name: 'Name',
  version: 'Version',
  hardware_models: 'Hardware models',
  description: 'Description',
  rollback_version: 'Rollback version',
  keys: 'Keys',
  key_hash: 'Key hash',
  fuse_config: 'Fuse configuration',
}

type FormProps = { bundle: SecureBootBundle; signingKeys: readonly SigningKey[]; close: () => void; cancel: () => void }

/** Loaded with its lists, so that its first values are those it is compared with. */
export const EditBundleForm = ({ bundle, signingKeys, close, cancel }: FormProps) => {
  const { api } = useSystem()
  const { mutateAsync } = useMutation(updateBundleMutation(api))
  const threeWay = useEditConflict(bundle, fieldsOf, (object, body) => mutateAsync({ bundle: object, body }))
  return <Fields key={threeWay.base.revision} threeWay={threeWay} signingKeys={signingKeys} close={close} cancel={cancel} />
}

type FieldsProps = Omit<FormProps, 'bundle'> & {
  threeWay: ReturnType<typeof useEditConflict<SecureBootBundle, ReturnType<typeof fieldsOf>>>
}

const Fields = ({ threeWay, signingKeys, close, cancel }: FieldsProps) => {
  const { base, conflict } = threeWay
  const editable = isEditable(base.state)
  const read = (data: FormData) => (editable ? readBundle(data) : { description: readBundle(data).description })
  const form = useForm({
    schema: BundleChangeForm,
    read,
    // Without the other fields nothing but the description differs.
    save: (body) => threeWay.save({ ...fieldsOf(base), ...body } as ReturnType<typeof fieldsOf>), // the reader gives each field
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
          <ConflictNotice conflict={conflict} labels={labels} onKeepMine={threeWay.keepMine} onTakeTheirs={threeWay.takeTheirs} />
        )
      }
    >
      {editable ? (
        <>
          <TextField {...form.field('name')} label="Name" required autoFocus defaultValue={base.name} />
          <BundleFields
            projectId={base.project_id}
            form={form}
            platform={base.platform}
            signingKeys={signingKeys}
            start={{ version: base.version, models: base.hardware_models }}
            bundle={base}
          />
        </>
      ) : (
        <TextareaField {...form.field('description')} label="Description" limit={512} autoFocus defaultValue={base.description} />
      )}
    </BoundForm>
  )
}
