import { type KeyListPayload, openKeyList } from '../contract/device/key-list'
import type { DeviceApi } from './api-client/device-api'
import type { Trust } from './state/key-list'

type Holder = {
  api: Pick<DeviceApi, 'keyList'>
  trust: Trust
  projectId: string | null
  stopping: AbortSignal
  note: (level: 'notice' | 'err', text: string) => void
}

const short = (fingerprint: string) => fingerprint.slice(0, 16)

/**
 * Takes the newest key list that the device can verify, and so on until there is none: a device that was offline follows several
 * rotations at once. Returns the last list that it took.
 */
export const takeKeyLists = async ({ api, trust, projectId, stopping, note }: Holder): Promise<KeyListPayload | null> => {
  let taken: KeyListPayload | null = null
  for (;;) {
    const envelope = await api.keyList(trust.counter(), stopping)
    if (envelope === null) return taken
    const facts = { projectId: projectId ?? taken?.project_id ?? null, counter: trust.counter() }
    const opened = await openKeyList(envelope, trust.keys(), facts)
    if (!opened.ok) {
      note('err', `Refused a key list: ${opened.message} (${opened.reason})`)
      return taken
    }
    taken = opened.list
    trust.take(taken)
    const keys = trust.fingerprints().map(short).join(', ')
    note('notice', `Took key list ${taken.counter}, signed by ${short(opened.key.fingerprint)}; trusted keys: ${keys}`)
  }
}
