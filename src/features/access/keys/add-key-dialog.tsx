import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { NewSigningKey } from '../../../../contract/fleet/keys'
import { createSigningKeyMutation } from '../../../api/mutations/fleet/keys'
import { fromLocal } from '../../../lib/local-time'
import { BoundForm } from '../../../system/form/bound-form'
import { useForm } from '../../../system/form/form'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import * as Dialog from '../../../ui/overlay/dialog'
import { InlineCode } from '../../../ui/text/code'
import { SegmentField } from '../../../ui/form/choice-field'
import { ReadOnlyField } from '../../../ui/form/field'
import { TextareaField, TextField } from '../../../ui/form/text-field'

const algorithms = [
  { value: 'ed25519', label: 'Ed25519' },
  { value: 'ecdsa-p256', label: 'ECDSA P-256' },
  { value: 'rsa-3072', label: 'RSA 3072' },
] as const
type Algorithm = (typeof algorithms)[number]['value']

const purposes = [
  { value: 'release', label: 'Releases' },
  { value: 'secure_boot', label: 'Secure boot' },
  { value: 'both', label: 'Both' },
] as const

const read = (data: FormData): unknown => {
  const expires = data.get('expires_at')
  const algorithm = data.get('algorithm')
  return {
    name: data.get('name'),
    algorithm,
    // RSA keys are for secure boot only.
    purpose: algorithm === 'rsa-3072' ? 'secure_boot' : data.get('purpose'),
    public_key_pem: data.get('public_key_pem'),
    expires_at: typeof expires === 'string' && expires !== '' ? fromLocal(expires) : null,
  }
}

// A line break in it would be typed along.
const command = (
  <span className={css({ whiteSpace: 'nowrap' })}>
    <InlineCode>node teasel.mjs keys generate --out DIR</InlineCode>
  </span>
)

/** Adds the public key of a key pair that was made elsewhere; a private key is refused before it is sent. */
export const AddKeyDialog = ({ projectId, onClose }: { projectId: string; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('add_key', onClose)
  const { mutateAsync } = useMutation(createSigningKeyMutation(api, projectId))
  const [algorithm, setAlgorithm] = useState<Algorithm>('ed25519')
  const form = useForm({ schema: NewSigningKey, read, save: (body, extra) => mutateAsync({ body, ...extra }), onSaved: close })
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title="Add a signing key"
        description={<>Create the key pair on your signing machine: {command}. Paste the public key here.</>}
      >
        <BoundForm form={form} dense inDialog onCancel={cancel}>
          <TextField {...form.field('name')} label="Name" required autoFocus />
          <SegmentField
            {...form.field('algorithm')}
            label="Algorithm"
            items={algorithms}
            value={algorithm}
            onValueChange={setAlgorithm}
          />
          {algorithm === 'rsa-3072' ? (
            <ReadOnlyField label="Purpose">Secure boot. RSA keys do not sign releases.</ReadOnlyField>
          ) : (
            <SegmentField {...form.field('purpose')} label="Purpose" items={purposes} defaultValue="release" />
          )}
          <TextareaField
            {...form.field('public_key_pem')}
            label="Public key"
            required
            mono
            rows={5}
            placeholder={'-----BEGIN PUBLIC KEY-----\n...\n-----END PUBLIC KEY-----'}
          />
          <TextField
            {...form.field('expires_at')}
            label="Expires"
            type="datetime-local"
            hint="After it the key signs no new releases. Leave empty for no expiry."
          />
        </BoundForm>
      </Dialog.Window>
    </Dialog.Root>
  )
}
