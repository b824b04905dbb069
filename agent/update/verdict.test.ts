import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { DeviceConfig } from '../../contract/device/config'
import { refuse } from '../../contract/device/refusals'
import { accepted, type Given, givenBy, refused } from '../../contract/device/verify.fixture'
import { assemble } from '../assemble'
import { pollBounds } from '../core/wait'
import { considerOffer } from './flow'

const folder = mkdtempSync(join(tmpdir(), 'teasel-verdicts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let number = 0
const rolloutId = '01JNV4E3S0000000000000R0UT'

const configOf = ({ facts, keys }: Given, own: string): DeviceConfig => ({
  schema: 1,
  server_url: 'http://127.0.0.1:9',
  hardware_model: facts.hardwareModel,
  public_keys: [...keys],
  persistent_directory: join(own, 'state'),
  temporary_directory: own,
  update_mode: 'file',
  install_root: join(own, 'root'),
  polling_interval_s: 30,
  network_timeout_s: 5,
  download_retries: 1,
  metrics_interval_s: 10,
  logs_enabled: false,
  log_level: 'emerg',
  single_check: true,
  stop_after: 'none',
})

/** What an agent with these facts does with the envelope. It is being stopped, so it downloads nothing. */
const consider = async (given: Given) => {
  const { facts } = given
  const config = configOf(given, join(folder, String(++number)))
  const { device } = await assemble(config, config, AbortSignal.abort(), pollBounds)
  device.store.change({
    project_id: facts.projectId,
    installed:
      facts.installedVersion === null
        ? null
        : { release_id: rolloutId, version: facts.installedVersion, slot: null, confirmed: true },
    may_return_to: [...facts.mayReturnTo],
    rollback_version: facts.rollbackVersion,
  })
  const clock = { ...device.clock, now: () => facts.now }
  const outcome = await considerOffer({ ...device, clock }, given.envelope, rolloutId, config.server_url)
  const { attempt, events } = device.store.state
  return { outcome, attempt, event: events[0] }
}

describe('T-17 the verdict of the agent on a manifest', () => {
  it.each(accepted)('takes $title', async (vector) => {
    const { attempt, event } = await consider(await givenBy(vector))
    expect(event).toMatchObject({ type: 'update_accepted', version: 12, rollout_id: rolloutId })
    expect(attempt).toMatchObject({ version: 12, phase: 'accepted' })
  })

  it.each(refused)('refuses $title', async ({ code, reason, ...vector }) => {
    const { outcome, attempt, event } = await consider(await givenBy(vector))
    expect([outcome, attempt]).toEqual(['refused', null])
    const { message } = refuse(reason)
    expect(event).toMatchObject({ type: 'verification_failed', reason_code: code, message })
  })
})
