import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type AccessToken, RotateAccessToken } from '../../../contract/access-tokens'
import { rotateAccessTokenMutation } from '../../api/mutations/access-tokens'
import { BoundForm } from '../../system/bound-form'
import { useForm } from '../../system/form'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/dialog'
import { SegmentField } from '../../ui/form/choice-field'
import { DateTime } from '../../ui/time'
import { ShownToken } from './shown-token'

const overlaps = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
] as const
type Overlap = (typeof overlaps)[number]['value']

type Props = { accessToken: AccessToken; onClose: () => void }

/** Replaces an access token by a new one, which is shown once. */
export const RotateAccessTokenDialog = ({ accessToken, onClose }: Props) => {
  const { api } = useSystem()
  const { close, root } = useModal('rotate_access_token', onClose)
  const [overlap, setOverlap] = useState<Overlap>('86400')
  const rotation = rotateAccessTokenMutation(api, accessToken.project_id, accessToken.id)
  const { data: made, mutateAsync } = useMutation({ ...rotation, gcTime: 0 })
  const form = useForm({
    schema: RotateAccessToken,
    read: () => ({ overlap_s: Number(overlap) }),
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: () => {},
  })
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title={made ? `Access token ${made.name}` : `Rotate ${accessToken.name}`}
        description={
          made ? (
            <>
              Valid until <DateTime value={made.expires_at} never="it is revoked" />.
            </>
          ) : (
            'Creates a new token with the same permissions and lifetime. It acts in your name from then on. The old token cannot be brought back after its time.'
          )
        }
        footer={made && <Button onClick={close}>Close</Button>}
      >
        {made ? (
          <ShownToken token={made.token} />
        ) : (
          <BoundForm form={form} dense inDialog onCancel={close} submitLabel="Rotate" submittingLabel="Rotating...">
            <SegmentField
              {...form.field('overlap_s')}
              label="The old token still works for"
              items={overlaps}
              value={overlap}
              onValueChange={setOverlap}
              hint="Long enough to give the new token to every program that uses the old one."
            />
          </BoundForm>
        )}
      </Dialog.Window>
    </Dialog.Root>
  )
}
