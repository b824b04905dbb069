import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { failureOf } from '../../api/failure'
import { updateSelfMutation } from '../../api/mutations/users'
import { selfQuery } from '../../api/queries/self'
import { experiments } from '../../system/experiments'
import { notify } from '../../system/notify'
import { useSystem } from '../../system/system'
import { Switch } from '../../ui/choice'

/** Chooses the feature channel of the account; saved at once. */
export const ChannelSwitch = () => {
  const { api } = useSystem()
  const { data: user } = useSuspenseQuery(selfQuery(api))
  const { mutate, isPending, variables } = useMutation({
    ...updateSelfMutation(api),
    onError: (error) => void notify({ kind: 'error', text: failureOf(error)?.message ?? 'Nothing was changed' }),
  })
  const channel = (isPending && variables.feature_channel) || user.feature_channel
  return (
    <Switch
      checked={channel === 'experimental'}
      disabled={isPending}
      onChange={(event) => mutate({ feature_channel: event.target.checked ? 'experimental' : 'stable' })}
      hint={`Features that are being tested: ${Object.values(experiments).join(', ')}. Without this switch, experimental mode shows them.`}
    >
      Always show experimental features
    </Switch>
  )
}
