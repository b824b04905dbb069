import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import type { LogLine } from '../../../../contract/fleet/device-logs'
import type { Api } from '../../../api/client'
import {
  addNewer,
  addOlder,
  countNewer,
  logWindowQuery,
  type LogPage,
  type LogWindow,
} from '../../../api/queries/fleet/device-logs'
import { toLogItems } from './log-items'

const lineOf = (sequence: number, facts: Partial<LogLine> = {}): LogLine => ({
  sequence,
  ts_ms: 1_780_000_000_000 + sequence * 1000,
  received_at: '2026-11-20T15:00:00+00:00',
  level: 'info',
  unit: 'app',
  pid: null,
  boot_id: 'aaaa-1',
  message: `line ${sequence}`,
  fields: {},
  ...facts,
})
const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => lineOf(from + n))
const about = {
  kept: { days: 3, lines: 200_000 },
  dropped: 0,
  units: [],
  boots: [{ boot_id: 'aaaa-1', first_ts_ms: 1_780_000_000_000 }],
}
const pageOf = (lines: LogLine[], facts: Partial<LogPage> = {}): LogPage => ({
  lines,
  next_cursor: null,
  newest_sequence: lines.at(-1)?.sequence ?? 0,
  at_sequence: null,
  oldest: null,
  ...about,
  ...facts,
})
const windowOf = (lines: LogLine[], facts: Partial<LogWindow> = {}): LogWindow => ({
  lines,
  older: null,
  newer: null,
  tail: lines.at(-1)?.sequence ?? 0,
  start: null,
  waiting: 0,
  oldest: null,
  about,
  ...facts,
})
const ends = ({ lines }: LogWindow) => [lines[0]?.sequence, lines.at(-1)?.sequence, lines.length]

describe('the rows of a log', () => {
  const marks = (lines: LogLine[], isFiltered = false) =>
    toLogItems(lines, about, isFiltered).flatMap((item) =>
      item.kind === 'line' ? [] : [item.kind === 'gap' ? item.text : `${item.bootId} ${item.text} ${item.note}`],
    )

  it('mark missing numbers, times without lines, clocks that go back and boots', () => {
    expect(marks(range(1, 5))).toEqual([])
    expect(marks([lineOf(1), lineOf(14)])).toEqual(['12 lines missing'])
    const at = lineOf(2).ts_ms
    expect(marks([lineOf(1, { ts_ms: at - 166_000 }), lineOf(2)])).toEqual(['No lines for 2 min 46 s'])
    expect(marks([lineOf(1, { ts_ms: at + 200_000 }), lineOf(2)])).toEqual(['The clock went back 3 min 20 s'])
    expect(marks([lineOf(60), lineOf(63, { boot_id: 'bbbb-2' })])).toEqual(['bbbb-2 was up 1 min 2 lines missing'])
  })

  it('name a clock that was not set before, and no silence of decades', () => {
    const received_at = '2026-05-28T20:30:00+00:00'
    const at = Date.parse(received_at)
    const [unset, set] = [lineOf(1, { ts_ms: 5000, received_at }), lineOf(2, { ts_ms: at, received_at })]
    expect(marks([unset, set])).toEqual(['The clock was set'])
    expect(marks([unset, lineOf(2, { ts_ms: 305_000, received_at })])).toEqual(['No lines for 5 min'])
    expect(marks([lineOf(1, { ts_ms: at - 300_000, received_at }), set])).toEqual(['No lines for 5 min'])
  })

  it('mark only boots between the lines of a filter', () => {
    expect(marks([lineOf(1), lineOf(500), lineOf(900, { boot_id: 'bbbb-2' })], true)).toEqual(['bbbb-2  null'])
  })
})

describe('a part of a log', () => {
  it('grows in both directions, and is cut at the other end where it can be read again', () => {
    const middle = windowOf(range(5001, 2000), { older: 5001, newer: 7000, tail: 9000 })
    const older = addOlder(middle, pageOf(range(4801, 200), { next_cursor: '4801' }))
    expect([ends(older), older.older, older.newer]).toEqual([[4801, 6800, 2000], 4801, 6800])
    const newer = addNewer(middle, pageOf(range(7001, 200), { next_cursor: '7200' }))
    expect([ends(newer), newer.older, newer.newer]).toEqual([[5201, 7200, 2000], 5201, 7200])
  })

  it('takes each line of a tail once, and stays as large as it is', () => {
    let part = windowOf(range(1, 1990))
    for (let n = 0; n < 50; n++) {
      // The second answer repeats the last line of the first.
      part = addNewer(part, pageOf(range(part.tail, 21), { newest_sequence: part.tail + 20 }))
    }
    expect([ends(part), part.tail, part.newer]).toEqual([[991, 2990, 2000], 2990, null])
  })

  it('counts new lines while its reader looks elsewhere, and reads them later from where it ends', () => {
    const waiting = countNewer(countNewer(windowOf(range(1, 10)), pageOf(range(11, 3))), pageOf(range(14, 2)))
    expect([waiting.waiting, waiting.newer, waiting.tail, ends(waiting)]).toEqual([5, 10, 15, [1, 10, 10]])
    const read = addNewer(waiting, pageOf(range(11, 5)))
    expect([read.waiting, read.newer, ends(read)]).toEqual([0, null, [1, 15, 15]])
  })
})

describe('a line that arrives between two answers', () => {
  it('is read afterwards, if the tail has counted it before an older answer reached the end', () => {
    const scrolling = windowOf(range(1, 5), { newer: 5, tail: 8, waiting: 3 })
    const counted = countNewer(scrolling, pageOf(range(9, 1)))
    const reached = addNewer(counted, pageOf(range(6, 3)))
    expect([ends(reached), reached.newer, reached.waiting]).toEqual([[1, 8, 8], 8, 4])
    const all = addNewer(reached, pageOf(range(9, 1)))
    expect([ends(all), all.newer, all.tail, all.waiting]).toEqual([[1, 9, 9], null, 9, 0])
  })

  it('is read afterwards, if it came while a log was opened at a line', async () => {
    const answers = [pageOf(range(4, 2)), pageOf(range(1, 3), { newest_sequence: 6 })]
    const api = (async () => answers.shift()) as unknown as Api // Implements only the pages of a log.
    const client = new QueryClient()
    const opened = await client.fetchQuery(logWindowQuery(api, 'd1', {}, { line: 4 }))
    expect([ends(opened), opened.newer, opened.tail]).toEqual([[1, 5, 5], 5, 6])
    client.clear()
  })
})
