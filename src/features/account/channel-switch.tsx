import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../../contract/accounts/users'
import { updateSelfMutation } from '../../api/mutations/accounts/users'
import { selfQuery } from '../../api/queries/accounts/self'
import { experiments } from '../../system/experiments'
import { notifyFailed } from '../../system/failure/notify-failed'
import { useSystem } from '../../system/system'
import { Switch } from '../../ui/form/choice'

/** Chooses the feature channel of the account; saved at once. */
export const ChannelSwitch = () => {
  const { api } = useSystem()
  const { data: user } = useSuspenseQuery(selfQuery(api))
  // Shown until the answer: without it the switch would go back to the old value first.
  const [chosen, setChosen] = useState<User['feature_channel']>()
  const { mutate } = useMutation({
    ...updateSelfMutation(api),
    onError: notifyFailed,
    onSettled: () => setChosen(undefined),
  })
  return (
    <Switch
      checked={(chosen ?? user.feature_channel) === 'experimental'}
      disabled={chosen !== undefined}
      onChange={(event) => {
        const feature_channel = event.target.checked ? 'experimental' : 'stable'
        setChosen(feature_channel)
        mutate({ feature_channel })
      }}
      hint={`Features that are being tested: ${experiments.join(', ')}. Without this switch, experimental mode shows them.`}
    >
      Always show experimental features
    </Switch>
  )
}
