import { pauseAfter, wait } from '../core/wait'
import { reasonOf, Refused } from '../server/http'
import { backfill, checkIn, enroll, report } from './contact'
import type { SimulatedDevice } from './simulated-device'
import { simulateUpdate } from './update'

/** However fast the play, a device asks at most this often, and so stays within the server's rates. */
const fastestPollMs = 10_000

const carryOut = async (device: SimulatedDevice, commands: readonly { id: string; command: string }[]) => {
  for (const { id, command } of commands) {
    device.say('info', 'updater', `command ${command}`)
    if (command === 'reboot') device.reboot()
    const output = command === 'collect_diagnostics' ? JSON.stringify(device.facts(), null, 2) : 'ok'
    await device.api.command(id, { state: 'done', output })
  }
}

/** One poll; answers how long to wait for the next, in milliseconds. */
const round = async (device: SimulatedDevice): Promise<number> => {
  const { api, memory, options, stopping, store } = device
  if (memory.identity === null) {
    await enroll(device)
    if (options.backfillHours > 0) await backfill(device)
  }
  const { commands, polling_interval_s, update_available } = await checkIn(device)
  await carryOut(device, commands)
  await device.outbox().flush(api)
  if (update_available) {
    const { installed } = store.state
    const offer = await api.update(installed?.version ?? null, installed?.slot ?? null, stopping)
    if ('envelope' in offer) await simulateUpdate(device, offer.envelope, offer.rolloutId)
  }
  return Math.max(fastestPollMs, (polling_interval_s * 1000) / options.speed)
}

/** A weak link is gone for a while now and then; how many polls that costs is geometric. */
const missedPolls = ({ kind, random }: SimulatedDevice): number => {
  let missed = 1
  if (random.chance(kind.link.dropOut)) while (missed < 8 && random.chance(0.6)) missed++
  return missed
}

/** Measures beside the polls, at its own pace. */
const reporting = async (device: SimulatedDevice): Promise<void> => {
  const everyMs = device.options.metricsIntervalS * 1000
  await wait(everyMs * device.random.next(), device.stopping)
  while (!device.stopping.aborted) {
    if (device.memory.identity) await report(device, everyMs / 60_000).catch(() => {})
    await wait(everyMs, device.stopping)
  }
}

const pauseAfterFailure = (error: unknown, failures: number, device: SimulatedDevice): number => {
  const own = Math.min(300_000, 2000 * 2 ** failures) * device.random.between(0.7, 1.3)
  return pauseAfter(own, error instanceof Refused ? error.retryAfterMs : null)
}

/** One device from the start of the fleet to its end. Trouble only makes it wait; it never ends the others. */
export const runDevice = async (device: SimulatedDevice, note: (text: string) => void): Promise<void> => {
  const { memory, random, serial, stopping } = device
  void reporting(device)
  let failures = 0
  while (!stopping.aborted) {
    let pauseMs: number
    try {
      pauseMs = (await round(device)) * missedPolls(device) * random.between(0.9, 1.1)
      failures = 0
    } catch (error) {
      if (stopping.aborted) return
      if (error instanceof Refused && error.code === 'decommissioned') return note(`${serial} is decommissioned`)
      if (error instanceof Refused && error.status === 401) memory.identity = null
      if (failures === 0) note(`${serial}: ${reasonOf(error)}`)
      pauseMs = pauseAfterFailure(error, ++failures, device)
    }
    await wait(pauseMs, stopping)
  }
}
