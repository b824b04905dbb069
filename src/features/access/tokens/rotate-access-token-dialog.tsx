import { useMutation } from '@tanstack/react-query'
import { type AccessToken, RotateAccessToken } from '../../../../contract/accounts/access-tokens'
import { rotateAccessTokenMutation } from '../../../api/mutations/accounts/access-tokens'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { DateTime } from '../../../ui/text/time'
import { RotationForm } from '../secrets/rotation-form'
import { ShownToken } from './shown-token'

type Props = { accessToken: AccessToken; onClose: () => void }

/** Replaces an access token by a new one, which is shown once. */
export const RotateAccessTokenDialog = ({ accessToken, onClose }: Props) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('rotate_access_token', onClose)
  const rotation = rotateAccessTokenMutation(api, accessToken.project_id, accessToken.id)
  const { data: made, mutateAsync } = useMutation({ ...rotation, gcTime: 0 })
  return (
    <Dialog.Root {...root} {...(made && Dialog.shownOnce)}>
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
          <RotationForm
            schema={RotateAccessToken}
            label="The old token still works for"
            hint="Long enough to give the new token to every program that uses the old one."
            rotate={(body, extra) => mutateAsync({ body, ...extra })}
            onCancel={cancel}
          />
        )}
      </Dialog.Window>
    </Dialog.Root>
  )
}
