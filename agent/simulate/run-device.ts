import type { CheckInAnswer } from '../../contract/device/api'
import type { LogLevel } from '../../contract/device/config-fields'
import { wait } from '../core/wait'
import { reasonOf, Refused } from '../api-client/http'
import { takeKeyLists } from '../take-key-lists'
import { backfill, beginBackfill } from './backfill'
import { checkIn, enroll, report } from './device-calls'
import { isDecommissioned, pauseAfterFailure } from './pause-after-failure'
import type { SimulatedDevice } from './simulated-device'
import { simulateUpdate } from './update'

const carryOut = async (device: SimulatedDevice, commands: readonly { id: string; command: string }[]) => {
  for (const { id, command } of commands) {
    device.log('info', 'updater', `command ${command}`)
    if (command === 'reboot') device.reboot()
    const output = command === 'collect_diagnostics' ? JSON.stringify(device.facts(), null, 2) : 'ok'
    await device.api.command(id, { state: 'done', output })
  }
}

/** Takes key lists as the agent does, and reports at once that it holds them. */
const checkInWithKeys = async (device: SimulatedDevice): Promise<CheckInAnswer> => {
  const { api, facts, log, stopping, trust } = device
  const answer = await checkIn(device)
  if (answer.key_list_available !== true) return answer
  const note = (level: LogLevel, text: string) => log(level, 'updater', text)
  if ((await takeKeyLists({ api, trust, projectId: facts().projectId, stopping, note })) === null) return answer
  const again = await checkIn(device)
  return { ...again, commands: [...answer.commands, ...again.commands] }
}

/** One poll; returns the time until the next, in milliseconds. */
export const poll = async (device: SimulatedDevice, onCheckIn = () => {}): Promise<number> => {
  const { api, memory, options, stopping, store } = device
  if (memory.identity === null) {
    if (options.backfillHours > 0 && memory.backfill === undefined)
      memory.backfill = beginBackfill(options.backfillHours, store.state.next_log)
    await enroll(device)
  }
  const { commands, polling_interval_s, update_available } = await checkInWithKeys(device)
  onCheckIn()
  await carryOut(device, commands)
  await device.outbox().flush(api)
  if (!update_available) device.recordAnswer(null)
  else {
    const { installed } = store.state
    const offer = await api.update(installed?.version ?? null, installed?.slot ?? null, stopping)
    device.recordAnswer('envelope' in offer ? { rollout_id: offer.rolloutId } : { reason: offer.reason })
    if ('envelope' in offer) await simulateUpdate(device, offer.envelope, offer.rolloutId)
  }
  return Math.max(options.fastestPollMs, (polling_interval_s * 1000) / options.speed)
}

/** A weak connection fails from time to time; the number of missed polls is geometrically distributed. */
const missedPolls = ({ kind, random }: SimulatedDevice): number => {
  let missed = 1
  if (random.chance(kind.link.dropOut)) while (missed < 8 && random.chance(0.6)) missed++
  return missed
}

/** Takes metrics at its own interval, independent of the polls. */
const reporting = async (device: SimulatedDevice): Promise<void> => {
  const everyMs = device.options.metricsIntervalS * 1000
  await wait(everyMs * device.random.next(), device.stopping)
  while (!device.stopping.aborted) {
    if (device.memory.identity && !device.memory.backfill) await report(device, everyMs / 60_000).catch(() => {})
    await wait(everyMs, device.stopping)
  }
}

/** Runs one device until the fleet ends. Errors only delay it; they never end the other devices. */
export const runDevice = async (device: SimulatedDevice, note: (text: string) => void): Promise<void> => {
  const { memory, options, random, serial, stopping } = device
  void reporting(device)
  let backfilling: Promise<void> | undefined
  // It ends early with the fleet, or when the device is decommissioned, which the next poll notes.
  const startBackfill = () => void (backfilling ??= backfill(device).catch(() => {}))
  let failures = 0
  while (!stopping.aborted) {
    let pauseMs: number
    try {
      pauseMs = (await poll(device, startBackfill)) * missedPolls(device) * random.between(0.9, 1.1)
      failures = 0
    } catch (error) {
      if (stopping.aborted) return
      if (isDecommissioned(error)) return note(`${serial} is decommissioned`)
      if (error instanceof Refused && error.status === 401 && !options.enrollOnce) memory.identity = null
      if (failures === 0) note(`${serial}: ${reasonOf(error)}`)
      pauseMs = pauseAfterFailure(device, error, ++failures)
    }
    await wait(pauseMs, stopping)
  }
}
