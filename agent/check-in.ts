import { uptime } from 'node:os'
import canonicalize from 'canonicalize'
import type { CheckInAnswer } from '../contract/device/api'
import { sha256, utf8 } from '../contract/device/bytes'
import { reasonOf } from './api-client/http'
import { client } from './core/version'
import type { Device } from './device'
import { readAttributes } from './report/attributes'
import { readInstalls } from './update/install-modes'
import { readSecureBoot } from './report/secure-boot'

/**
 * Sends the state, and the attributes if they changed or the server asks for them. The commands of the answer are taken before
 * anything else can fail: the server sends them once.
 */
export const checkIn = async (device: Device): Promise<CheckInAnswer> => {
  const { api, commands, config, configHash, log, outbox, store, trust, bootId, stopping } = device
  const { installed, rollback_version } = store.state
  const attributes = readAttributes(config.persistent_directory, installed?.slot ?? null, readInstalls(device))
  const attributes_hash = await sha256(utf8(canonicalize(attributes) ?? ''))
  const answer = await api.checkIn(
    {
      boot_id: bootId,
      uptime_s: Math.round(uptime()),
      installed,
      trusted_keys: trust.fingerprints(),
      key_list_counter: trust.counter(),
      secure_boot: { ...readSecureBoot(config.persistent_directory), rollback_version },
      attributes_hash,
      client: { ...client, config_hash: configHash },
      polling_interval_s: config.polling_interval_s,
    },
    stopping,
  )
  commands.add(answer.commands)
  outbox.continueAfter(answer.event_sequence ?? 0)
  if (answer.want_attributes || store.state.attributes_hash !== attributes_hash) {
    try {
      await api.attributes(attributes)
      store.change({ attributes_hash })
    } catch (error) {
      // Sent again at the next check-in: commands and updates do not wait for a full disk.
      log.warning(`The attributes were not sent and stored: ${reasonOf(error)}`)
    }
  }
  return answer
}
