import type { DeviceEvent } from '../../contract/device/api'
import type { Manifest, TrustedKey } from '../../contract/device/manifest'
import type { FailureCode } from '../../contract/device/update-events'
import { verify } from '../../contract/device/verify'
import { neededFiles } from '../device'
import { Refused } from '../api-client/http'
import type { Subject } from '../state/outbox'
import { fetchAsset } from './fetch-asset'
import { type Outcome, outcomeOf } from './outcomes'
import type { SimulatedDevice } from './simulated-device'

class Ends extends Error {
  readonly code: FailureCode
  constructor(code: FailureCode, message: string) {
    super(message)
    this.code = code
  }
}
/** The device stops reporting during the update. */
class Silent extends Error {
  readonly ms: number
  constructor(ms: number) {
    super('silent')
    this.ms = ms
  }
}

/** The rollback has ended and is reported. */
class RolledBack extends Error {}

type Step = (type: DeviceEvent['type'], details?: Partial<DeviceEvent>) => Promise<void>

/** The seeded outcome decides what goes wrong; the signature and the hashes are verified in any case. */
export const simulateUpdate = async (device: SimulatedDevice, envelope: unknown, rolloutId: string | null): Promise<void> => {
  const { store, options, facts, trust } = device
  const tries = (device.tries.get(rolloutId ?? '') ?? 0) + 1
  device.tries.set(rolloutId ?? '', tries)
  const random = device.randomFor(`update/${rolloutId}/${tries}`)
  const planned = options.outcome ?? outcomeOf(random, false)
  const keys: readonly TrustedKey[] = planned === 'old_keys' ? [] : trust.keys()
  const verdict = await verify(envelope, keys, facts())
  let subject: Subject = { rollout_id: rolloutId, release_id: null, version: null }
  const slot = device.kind.slots ? (store.state.installed?.slot === 'b' ? 'a' : 'b') : null
  const step: Step = async (type, details = {}) => {
    device.outbox().note(subject, type, { slot, ...details })
    if (
      await device
        .outbox()
        .flush(device.api)
        .catch(() => false)
    )
      throw new Ends('aborted', 'The server asked to stop')
  }
  try {
    if (!verdict.ok) {
      await step('verification_failed', { reason_code: verdict.code, message: verdict.message })
      return device.log('err', 'updater', `manifest refused: ${verdict.message} (${verdict.code})`)
    }
    const { manifest, key } = verdict
    subject = { rollout_id: rolloutId, release_id: manifest.id, version: manifest.version }
    device.log('notice', 'updater', `update to version ${manifest.version} accepted`)
    await step('update_accepted')
    if (planned === 'no_space')
      throw new Ends('no_space', `${manifest.files.reduce((sum, { size }) => sum + size, 0)} bytes are needed, 40960 are free`)
    const isBad = await downloading(device, manifest, planned, step, random.between(0.2, 0.8))
    const outcome = options.outcome === undefined && isBad ? outcomeOf(random, true) : planned
    await step('verification_started')
    await device.pause(device.kind.phases.verify)
    await step('verification_passed', { key_fingerprint: key.fingerprint })
    await installing(device, manifest, outcome, step)
    await restarting(device, manifest, outcome, step, slot)
    store.change({
      installed: { release_id: manifest.id, version: manifest.version, slot, confirmed: true },
      may_return_to: manifest.may_return_to ?? [],
      rollback_version: Math.max(store.state.rollback_version, manifest.rollback_version ?? 0),
    })
    device.signals.burden(isBad ? 30 : 0)
    await step('update_confirmed')
    device.log('notice', 'updater', `version ${manifest.version} confirmed`)
  } catch (error) {
    if (device.stopping.aborted || error instanceof RolledBack) return
    if (error instanceof Silent) return device.pause(error.ms / 1000)
    if (error instanceof Refused && error.code === 'damaged')
      return step('update_deferred', { reason_code: 'download_incomplete', message: error.message }).catch(() => {})
    const failure =
      error instanceof Ends ? error : new Ends('network_error', error instanceof Error ? error.message : String(error))
    const type = failure.code === 'aborted' ? 'update_cancelled' : 'update_failed'
    await step(type, { reason_code: failure.code, message: failure.message }).catch(() => {})
  }
}

const downloading = async (
  device: SimulatedDevice,
  manifest: Manifest,
  outcome: Outcome,
  step: Step,
  cut: number,
): Promise<boolean> => {
  const files = neededFiles(manifest)
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const startedAt = performance.now()
  let isBad = false
  let done = 0
  await step('download_started', { bytes_done: 0, bytes_total: total })
  if (outcome === 'stuck') throw new Silent(1_800_000)
  if (outcome === 'offline') throw new Silent(7_200_000)
  for (const [at, file] of files.entries()) {
    const cutAt = outcome === 'resumed' && at === 0 ? Math.floor(file.size * cut) : null
    const resumed: number[] = []
    const fetched = await device.options.limitDownloads(() =>
      fetchAsset(
        device.connection,
        file,
        cutAt,
        { onBytes: () => {}, onResumed: (bytes) => void resumed.push(bytes) },
        device.stopping,
      ),
    )
    for (const bytes of resumed) await step('download_resumed', { bytes_done: done + bytes, bytes_total: total })
    if (fetched.sha256 !== file.sha256) throw new Ends('hash_mismatch', `${file.name} has the hash ${fetched.sha256}`)
    isBad ||= fetched.isBad
    // The bytes arrived at the speed of this machine; the reports follow the speed of the simulated connection.
    const portions = Math.max(1, Math.round((10 * file.size) / total))
    for (let portion = 1; portion <= portions; portion++) {
      await device.pause(
        (device.kind.phases.download / 10) * device.randomFor(`pace/${manifest.id}/${at}/${portion}`).between(0.6, 1.4),
      )
      const bytes = done + Math.round((file.size * portion) / portions)
      await step('download_progress', {
        progress_percent: Math.floor((100 * bytes) / total),
        bytes_done: bytes,
        bytes_total: total,
      })
    }
    done += file.size
  }
  await step('download_completed', {
    progress_percent: 100,
    bytes_done: total,
    bytes_total: total,
    duration_ms: Math.round(performance.now() - startedAt),
  })
  return isBad
}

const installing = async (device: SimulatedDevice, manifest: Manifest, outcome: Outcome, step: Step) => {
  if (manifest.hooks.pre_install !== null) {
    await step('pre_install_started')
    await step('pre_install_completed')
  }
  await step('install_started')
  for (const percent of [25, 50, 75, 100]) {
    await device.pause(device.kind.phases.install / 4)
    await step('install_progress', { progress_percent: percent })
  }
  await step('install_completed', { progress_percent: 100 })
  if (manifest.hooks.post_install === null && outcome !== 'hook_fails') return
  await step('post_install_started')
  if (outcome === 'hook_fails')
    await goBack(device, step, 'post_install_failed', 'post_install_failed', 'migrate-settings: exit status 3')
  await step('post_install_completed')
}

const restarting = async (device: SimulatedDevice, manifest: Manifest, outcome: Outcome, step: Step, slot: 'a' | 'b' | null) => {
  if (slot !== null || manifest.reboot !== 'never') {
    await step('reboot_requested')
    const starts = outcome === 'boot_fails' ? 3 : 1
    for (let start = 1; start <= starts; start++) {
      await device.pause(device.kind.phases.reboot)
      device.reboot()
      await step('booted', { message: `Start ${start} of 3`, slot })
    }
    if (outcome === 'boot_fails')
      await goBack(device, step, 'update_failed', 'boot_failed', 'The release did not start in 3 starts')
  }
  await step('validation_started')
  await device.pause(device.kind.phases.validate)
  await step('validation_passed')
}

const goBack = async (
  device: SimulatedDevice,
  step: Step,
  type: DeviceEvent['type'],
  code: FailureCode,
  message: string,
): Promise<never> => {
  device.log('err', 'updater', `rolling back: ${message}`)
  await step(type, { reason_code: code, message })
  await step('rollback_started', { reason_code: code })
  await device.pause(device.kind.phases.reboot)
  device.reboot()
  await step('rollback_completed', { reason_code: code, message })
  throw new RolledBack()
}
