import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Device, TokenForm } from '../../../../contract/fleet/devices'
import { issueDeviceTokenMutation } from '../../../api/mutations/fleet/devices'
import { ChangeFailure } from '../../../system/failure/change-failure'
import { notKnownText } from '../../../system/form/held-request'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { SegmentField } from '../../../ui/form/choice-field'
import { DateTime } from '../../../ui/text/time'
import { TokenFormField } from './client-fields'
import { GeneratorLink, ShownToken } from './shown-token'

type Why = 'lost' | 'stolen'
const reasons = [
  { value: 'lost', label: 'Lost or due for a change' },
  { value: 'stolen', label: 'Stolen' },
] as const satisfies readonly { value: Why; label: string }[]

const consequences = {
  lost: 'The previous token stays valid for 24 hours, so that the device can connect until it has the new one.',
  stolen: 'All previous tokens of this device stop working at once. The device cannot connect until it has the new one.',
} as const satisfies Record<Why, string>

const comesBack =
  'A client with an enrollment token in its device.json enrolls again by itself when its token stops working. It then gets its own token, and the one issued here stops working.'

const replacesGateway =
  'If the device uses a gateway token, that token is refused for this device at once. Other devices of the group keep it.'

/** Issues a token for a device that has lost its own, or whose own was leaked. */
export const IssueTokenDialog = ({ device, onClose }: { device: Device; onClose: () => void }) => {
  const { api } = useSystem()
  const { cancel, root } = useModal('issue_token', onClose)
  const [why, setWhy] = useState<Why>(device.token_sharing === null ? 'lost' : 'stolen')
  const { data: issued, error, isPending, mutate } = useMutation({ ...issueDeviceTokenMutation(api), gcTime: 0 })
  const isController = device.protocol === 'ddi'
  const [form, setForm] = useState<TokenForm>(isController && device.verifier === 'mcuboot' ? 'short' : 'long')
  const body = { overlap_s: why === 'lost' ? (86_400 as const) : (0 as const), form }
  const ending =
    issued?.former_token_until === null ? (
      'The previous token no longer works.'
    ) : (
      <>
        The previous token stops working on <DateTime value={issued?.former_token_until} />.
      </>
    )
  // One window for question and answer: a second one would open where nothing can be pressed.
  return (
    <Dialog.Root {...root} {...(issued && Dialog.shownOnce)}>
      <Dialog.Window
        wide
        title={issued ? `New token for ${issued.name}` : `Issue a new token for ${device.name}?`}
        description={
          issued
            ? ending
            : `Put it into the ${isController ? "configuration of the device's client" : 'device.json of this device'} by hand.`
        }
        footer={
          <>
            <Button onClick={cancel}>{issued ? 'Close' : 'Cancel'}</Button>
            {issued ? (
              <GeneratorLink primary device={issued} token={issued.device_token} />
            ) : (
              <Button
                variant={why === 'stolen' ? 'danger' : 'primary'}
                busy={isPending}
                busyLabel="Issuing..."
                onClick={() => mutate({ device, body })}
              >
                Issue token
              </Button>
            )}
          </>
        }
      >
        {issued ? (
          <ShownToken device={issued} token={issued.device_token} />
        ) : (
          <>
            <SegmentField
              label="The current token is"
              items={reasons}
              value={why}
              onValueChange={setWhy}
              hint={consequences[why]}
            />
            {isController && <TokenFormField value={form} onValueChange={setForm} />}
            {(device.enrollment === 'group' || device.enrollment === 'single') && (
              <p>{isController ? replacesGateway : comesBack}</p>
            )}
            <ChangeFailure error={error} unanswered={notKnownText} />
          </>
        )}
      </Dialog.Window>
    </Dialog.Root>
  )
}
