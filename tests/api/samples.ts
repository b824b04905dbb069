import { samples } from '../../contract/openapi/samples'
import type { Ids } from './world'

type Body = Record<string, unknown>

/** Bodies that name an object of the test's own, besides an avatar, which is bytes. */
const own: Record<string, (ids: Ids) => Body> = {
  'account.setAvatar': () => ({ image: 'not a file' }),
  'deviceJobs.bulkChangeDevices': ({ deviceId }) => ({ selection: { ids: [deviceId] } }),
  'configs.createDeviceConfig': ({ signingKeyId }) => ({ public_key_ids: [signingKeyId] }),
  'releaseSigning.signRelease': ({ signingKeyId }) => ({ key_id: signingKeyId }),
  'keyLists.publishKeyList': ({ signingKeyId }) => ({ key_id: signingKeyId }),
}

/** A valid body for each endpoint that takes one: if the guard did not refuse the call, it would have an effect. */
export const bodies: Record<string, (ids: Ids) => Body> = Object.fromEntries(
  [...new Set([...Object.keys(samples), ...Object.keys(own)])].map((name) => [
    name,
    (ids: Ids) => ({ ...samples[name], ...own[name]?.(ids) }),
  ]),
)
