import { isEnded, isUnderWay, updatePath } from '../../../../contract/device/update-events'
import type { UpdateEvent } from '../../../../contract/updates/device-updates'
import type { Device } from '../../../../contract/fleet/devices'
import { formatDuration } from '../../../lib/durations'
import type { Phase } from '../../../ui/layout/timeline'

export type Attempt = { key: string; name: string; attempt: number; events: UpdateEvent[] }

/** Groups events (newest first) by attempt (newest first): one rollout, one attempt. */
export const attemptsOf = (events: readonly UpdateEvent[]): Attempt[] => {
  const attempts = new Map<string, Attempt>()
  for (const event of events) {
    const key = `${event.rollout_id ?? event.release_id ?? 'none'}:${event.attempt}`
    const known = attempts.get(key)
    if (known) known.events.push(event)
    else {
      const version = event.display_version ?? event.version
      attempts.set(key, {
        key,
        name: event.rollout_name ?? `${event.release_name ?? 'Release'} ${version ?? ''}`.trim(),
        attempt: event.attempt,
        events: [event],
      })
    }
  }
  return [...attempts.values()]
}

/** The last state of an attempt, and its reason. */
export const outcomeOf = ({ events }: Attempt): { state: string; reason: string | null } => {
  const last = events.find((event) => event.to_state !== null)
  return { state: last?.to_state ?? 'queued', reason: events.find((event) => event.reason_code !== null)?.reason_code ?? null }
}

/** The attempt that the device is at, or was at last. */
export const currentOf = (attempts: readonly Attempt[], update: Device['update']): Attempt | undefined =>
  attempts.find(({ attempt, events: [event] }) => event?.rollout_id === update?.rollout_id && attempt === update?.attempt)

/** Whether reports are still to come: the update is under way, or its last reports are not among these yet. */
export const expectsReports = (attempts: readonly Attempt[], update: Device['update']): boolean => {
  if (!update || isUnderWay(update.state)) return update !== null
  const current = currentOf(attempts, update)
  return current !== undefined && isEnded(update.state) && !isEnded(outcomeOf(current).state)
}

const stages = updatePath.filter((state) => state !== 'queued' && state !== 'downloaded' && state !== 'succeeded')

/** When each phase began and how long it took, by the device's own clock; with `now` also how long the present one takes so far. */
export const phasesOf = (attempt: Attempt, now?: Date): Phase[] => {
  const entered = new Map<string, number>()
  for (const event of attempt.events.toReversed())
    if (event.to_state !== null && !entered.has(event.to_state)) entered.set(event.to_state, event.ts_ms)
  const { state } = outcomeOf(attempt)
  const over = isEnded(state)
  const reached = stages.filter((stage) => entered.has(stage))
  const moments = [...entered.values()].toSorted((a, b) => a - b)
  // Only clients that report success before it is shown claim it.
  const shown = stages.filter((stage) => stage !== 'claimed' || entered.has(stage))
  return shown.map((name): Phase => {
    const began = entered.get(name)
    if (began === undefined) return { name, state: 'upcoming' }
    const next = moments.find((moment) => moment > began)
    const last = name === reached.at(-1)
    const isCurrent = last && !over
    // The clock of a device may be ahead.
    const soFar = now === undefined || !isCurrent ? undefined : Math.max(0, (now.getTime() - began) / 1000)
    return {
      name,
      ...(soFar !== undefined
        ? { duration: `${formatDuration(soFar)} so far` }
        : next !== undefined && { duration: formatDuration((next - began) / 1000) }),
      state: isCurrent ? 'current' : last && over && state !== 'succeeded' ? 'stopped' : 'passed',
    }
  })
}
