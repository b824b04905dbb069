import { useMutation } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import { NewSigningKey } from '../../../contract/keys'
import { createSigningKeyMutation } from '../../api/mutations/keys'
import { BoundForm } from '../../system/bound-form'
import { useForm } from '../../system/form'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import * as Dialog from '../../ui/dialog'
import { InlineCode } from '../../ui/code'
import { SegmentField } from '../../ui/form/choice-field'
import { TextareaField, TextField } from '../../ui/form/text-field'

const algorithms = [
  { value: 'ed25519', label: 'Ed25519' },
  { value: 'ecdsa-p256', label: 'ECDSA P-256' },
] as const

// A line break in it would be typed along.
const command = (
  <span className={css({ whiteSpace: 'nowrap' })}>
    <InlineCode>teasel-agent keygen --out DIR</InlineCode>
  </span>
)

/** Adds the public key of a key pair that was made elsewhere; a private key is refused before it is sent. */
export const AddKeyDialog = ({ projectId, onClose }: { projectId: string; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, root } = useModal('add_key', onClose)
  const { mutateAsync } = useMutation(createSigningKeyMutation(api, projectId))
  const form = useForm({ schema: NewSigningKey, save: (body, extra) => mutateAsync({ body, ...extra }), onSaved: close })
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title="Add a signing key"
        description={<>Create the key pair on your signing machine: {command}. Paste the public key here.</>}
      >
        <BoundForm form={form} dense inDialog onCancel={close}>
          <TextField {...form.field('name')} label="Name" required autoFocus />
          <SegmentField {...form.field('algorithm')} label="Algorithm" items={algorithms} defaultValue="ed25519" />
          <TextareaField
            {...form.field('public_key_pem')}
            label="Public key"
            required
            mono
            rows={5}
            placeholder={'-----BEGIN PUBLIC KEY-----\n...\n-----END PUBLIC KEY-----'}
          />
        </BoundForm>
      </Dialog.Window>
    </Dialog.Root>
  )
}
