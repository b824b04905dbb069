import type { MaintenanceWindow } from '../../../../contract/updates/rollout-plans'
import { isTimeZone } from '../../../../contract/core/time-zone'

export type WindowStatus = { open: boolean; until: Date | null }

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const MINUTE = 60_000
const DAY = 1440

const formats = new Map<string, Intl.DateTimeFormat>()
const formatOf = (zone: string) => {
  const known = formats.get(zone)
  if (known) return known
  const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone } as const
  const made = new Intl.DateTimeFormat('en-US', parts)
  formats.set(zone, made)
  return made
}

/** Minutes since the start of the week (Sunday 00:00) on the wall clock of a zone. */
const minuteOfWeek = (moment: Date, zone: string): number => {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  )
  const day = days.findIndex((name) => name === parts.weekday?.toLowerCase())
  return day * DAY + Number(parts.hour) * 60 + Number(parts.minute)
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

const WEEK = 7 * DAY
const wrap = (minute: number) => ((minute % WEEK) + WEEK) % WEEK

/** Openings as [start, length] in minutes of the week; one that ends past midnight belongs to the day it begins on. */
const openings = (window: MaintenanceWindow): [start: number, length: number][] => {
  const from = minutesOf(window.from)
  const length = (minutesOf(window.to) - from + DAY) % DAY || DAY
  return window.days.map((name) => [days.indexOf(name) * DAY + from, length])
}

/** The time when the wall clock has advanced by that many minutes from `now`, before correcting for a change of the clocks. */
const later = (now: Date, zone: string, minutes: number): Date => {
  const wanted = wrap(minuteOfWeek(now, zone) + minutes)
  const start = now.getTime() - (now.getTime() % MINUTE)
  const reached = start + minutes * MINUTE
  // A change of the clocks in between shifts the wall clock; this is the shift.
  const off = wrap(minuteOfWeek(new Date(reached), zone) - wanted + WEEK / 2) - WEEK / 2
  return new Date(reached - off * MINUTE)
}

/** Whether updates may be offered now, and when that changes. Decided by the wall clock of the zone, so it follows its DST. */
export const windowAt = (window: MaintenanceWindow, deviceZone: string | null, now: Date): WindowStatus => {
  const named = window.zone === 'device' ? (deviceZone ?? 'UTC') : window.zone
  const zone = isTimeZone(named) ? named : 'UTC'
  const minute = minuteOfWeek(now, zone)
  const all = openings(window)
  const inside = all.filter(([start, length]) => wrap(minute - start) < length)
  if (inside.length > 0) {
    // Adjacent openings count as one.
    let end = minute
    for (let next = inside; next.length > 0; next = all.filter(([start, length]) => wrap(end - start) < length)) {
      end = Math.max(...next.map(([start, length]) => end + length - wrap(end - start)))
      if (end - minute >= WEEK) return { open: true, until: null }
    }
    return { open: true, until: later(now, zone, end - minute) }
  }
  const wait = Math.min(...all.map(([start]) => wrap(start - minute)))
  return { open: false, until: Number.isFinite(wait) ? later(now, zone, wait) : null }
}
