import type { Root } from '../../contract/ddi/api'
import type * as contract from '../../contract/ddi/endpoints'
import { clientOf } from '../../contract/fleet/hardware-models'
import type { Call } from '../core/http/call'
import { connectivityOf } from '../fleet/devices/state/connectivity'
import type { createContacts } from '../fleet/devices/contacts'
import { isKnownOrigin } from '../fleet/devices/tokens/token-sharing'
import { clientFacts } from './client-facts'
import { findPollState } from './quiet-poll.repository'
import { sleepSeconds, toSleep } from './sleep'
import { wantsAttributes } from './wants-attributes'

type State = NonNullable<Awaited<ReturnType<typeof findPollState>>>
type Caller = { address: string; agent: string | undefined; projectS: number; now: Date }

/**
 * Whether a poll changes nothing but the time of the last contact. A device that the database does not show as online is none of
 * these: that it is back is news.
 */
const isQuiet = (state: State, { address, agent, projectS, now }: Caller): boolean => {
  const { clientName = state.clientName, clientVersion = state.clientVersion } = clientFacts(agent)
  return (
    state.firstSeenAt !== null &&
    state.enrolledAt !== null &&
    !state.hasUpdate &&
    state.nextPollingS === null &&
    connectivityOf(state.lastSeenAt, state.pollingIntervalS ?? projectS, now) === 'online' &&
    isKnownOrigin(state, address, state.bootId ?? '') &&
    clientName === state.clientName &&
    clientVersion === state.clientVersion &&
    // The poll after one with a link records that it has none.
    !state.configLinked &&
    !wantsAttributes(state, null, agent, now)
  )
}

/** The answer to a poll of a device without work; undefined for every other poll. */
export const quietPoll =
  (contacts: Pick<ReturnType<typeof createContacts>, 'note'>) =>
  async ({ tx, actor, request, now }: Call<typeof contract.root>): Promise<Root | undefined> => {
    if (actor.kind !== 'device') return undefined
    const { polling_interval_s: projectS, hardware_models } = actor.settings
    const state = await findPollState(tx, actor.id)
    const caller = { address: request.ip, agent: request.headers['user-agent'], projectS, now }
    if (!state || !isQuiet(state, caller)) return undefined
    // Such a client is told of its installed release.
    if (clientOf(hardware_models, state.hardwareModel).kind === 'other') return undefined
    contacts.note(state.id, now)
    const pollS = state.pollingIntervalS ?? projectS
    const sleep = sleepSeconds({ deviceId: state.id, pollS, isUpdating: false, opensAt: null, now })
    return { config: { polling: { sleep: toSleep(sleep) } }, _links: {} }
  }
