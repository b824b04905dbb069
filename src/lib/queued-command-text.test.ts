import { expect, it } from 'vitest'
import { formatQueuedCommand, formatSentCommand } from './queued-command-text'

const now = new Date(2026, 5, 1, 14, 0, 0)
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString()

it('says by when a device fetches a command', () => {
  expect(formatQueuedCommand(at(330), now)).toBe('Delivered at the next check-in, expected by 14:05:30')
})

it('gives the day of a check-in that is more than a day away', () => {
  expect(formatQueuedCommand(at(2 * 86_400), now)).toBe('Delivered at the next check-in, expected by 06/03/2026 02:00 PM')
})

it('says since when a device is overdue, without a promised time', () => {
  expect(formatQueuedCommand(at(-60), now)).toBe('Delivered at the next check-in, which was expected by 13:59:00')
})

it('says what has become of a command whose first answer was lost', () => {
  const sent = { id: 'c1', command: 'reboot', created_at: at(-600), created_by: null, done_at: null, output: null }
  expect(formatSentCommand({ ...sent, state: 'queued', expected_at: at(330), delivered_at: null }, now)).toBe(
    'Delivered at the next check-in, expected by 14:05:30',
  )
  expect(formatSentCommand({ ...sent, state: 'done', expected_at: at(330), delivered_at: at(-60) }, now)).toBe(
    'It was sent the first time: the device fetched it at 13:59:00',
  )
  expect(formatSentCommand({ ...sent, state: 'cancelled', expected_at: at(330), delivered_at: null }, now)).toBe(
    'It was sent the first time, and is cancelled',
  )
})

it('says that a device has never checked in', () => {
  expect(formatQueuedCommand(null, now)).toBe('Delivered at the first check-in: this device has never checked in')
})
