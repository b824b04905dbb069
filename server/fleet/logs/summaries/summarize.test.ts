import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SummaryLine } from './line'
import { masked } from './patterns'
import { rules } from './rules'
import { type PastWeek, summarize } from './summarize'
import '../../../../tests/support/fixed-seed'

const start = Date.parse('2026-06-01T10:00:00Z')
const from = new Date(start)
const to = new Date(start + 3_600_000)
const newcomer: PastWeek = { messages: new Set(), errors: 0, hours: 0 }

type Said = Partial<SummaryLine> & { message: string }
/** Lines a second apart, unless they have a time. */
const linesOf = (...said: Said[]): SummaryLine[] =>
  said.map((one, index) => ({
    sequence: index + 1,
    tsMs: start + index * 1000,
    receivedMs: (one.tsMs ?? start + index * 1000) + 200,
    level: 6,
    unit: 'collector',
    bootId: 'boot-a',
    ...one,
  }))
const summary = (lines: SummaryLine[], past = newcomer, bootBefore: string | null = null) =>
  summarize({ lines, from, to, past, bootBefore, isCut: false })
const ids = (lines: SummaryLine[], past = newcomer, bootBefore: string | null = null) =>
  summary(lines, past, bootBefore).content.findings.map(({ rule_id }) => rule_id)

describe('findings', () => {
  const samples: Record<string, string> = {
    kernel_panic: 'Kernel panic - not syncing: Attempted to kill init!',
    out_of_memory: 'Out of memory: Killed process 812 (collector) total-vm:512000kB',
    filesystem_errors: 'EXT4-fs error (device mmcblk0p2): ext4_find_entry:1455: inode #2',
    watchdog: 'watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [kworker/0:1:31]',
    segfault: 'collector[812]: segfault at 0 ip 0000 sp 0000 error 4',
    disk_full: 'write /data/spool: No space left on device',
    under_voltage: 'Under-voltage detected!',
    signature_refused: 'Failed to verify required signature key-dev',
    hash_mismatch: 'sha256 digest mismatch for payload.bin',
    hook_failed: 'hook post_install failed with 1',
    tls_failure: 'SSL certificate problem: certificate has expired',
    unit_restarts: 'collector.service: Main process exited, code=exited, status=1/FAILURE',
    sign_in_failures: 'Failed password for root from 192.0.2.7 port 4022 ssh2',
    rollback: 'boot failed, rolled back to slot a',
    storage_timeout: 'mmc0: Timeout waiting for hardware interrupt.',
    thermal_throttle: 'cpu clock throttled, thermal zone 0 above 85 C',
    dns_failure: 'Could not resolve host: api.example',
    connection_flapping: 'Cannot reach station-4: connection timed out after 80 ms',
  }

  it.each(rules.map((rule) => [rule.id, rule] as const))('%s is found by its log line, and not by part of it', (id, rule) => {
    const message = samples[id] ?? ''
    const least = rule.least ?? 1
    const many = (count: number) => linesOf(...Array.from({ length: count }, () => ({ message })))
    expect(ids(many(least))).toEqual([id])
    if (least > 1) expect(ids(many(least - 1))).toEqual([])
  })

  it('name the unit, the count and the time, and show the lines', () => {
    const { verdict, content } = summary(
      linesOf({ message: 'Flushed 4 records in 8 ms' }, { message: samples.out_of_memory ?? '', level: 3, unit: 'kernel' }),
    )
    expect(verdict).toBe('critical')
    expect(content.headline).toBe('Memory ran out once, collector was killed')
    expect(content.findings[0]).toMatchObject({ count: 1, first_ts_ms: start + 1000, cited: [{ sequence: 2, unit: 'kernel' }] })
  })

  it('a boot loop is three starts within ten minutes', () => {
    const boot = (n: number, minutes: number) => ({
      bootId: `boot-${n}`,
      message: 'Booting Linux',
      tsMs: start + minutes * 60_000,
    })
    expect(ids(linesOf(boot(1, 0), boot(2, 4), boot(3, 8)))).toContain('boot_loop')
    expect(ids(linesOf(boot(1, 0), boot(2, 8), boot(3, 16)))).not.toContain('boot_loop')
    // The first of them started before.
    expect(ids(linesOf(boot(1, 0), boot(2, 4), boot(3, 8)), newcomer, 'boot-1')).not.toContain('boot_loop')
    expect(ids(linesOf(boot(1, 0), boot(2, 4), boot(3, 8), boot(4, 9)), newcomer, 'boot-1')).toContain('boot_loop')
  })

  it('silence is longer than usual and than five minutes', () => {
    const regular = Array.from({ length: 30 }, (_, n) => ({ message: 'Flushed 4 records', tsMs: start + n * 10_000 }))
    expect(ids(linesOf(...regular))).toEqual([])
    const later = { message: 'Flushed 4 records', tsMs: start + 1_800_000 }
    const { content } = summary(linesOf(...regular, later))
    expect(content.findings.map(({ rule_id }) => rule_id)).toEqual(['silence'])
    expect(content.gaps).toEqual([{ from_ts_ms: start + 290_000, to_ts_ms: start + 1_800_000, rebooted: false }])
  })

  it('a clock that goes back within a boot is reported, one that goes back with a boot is not', () => {
    expect(ids(linesOf({ message: 'a', tsMs: start + 600_000 }, { message: 'a' }))).toContain('clock_jump')
    expect(ids(linesOf({ message: 'a', tsMs: start + 600_000 }, { message: 'a', bootId: 'boot-b' }))).not.toContain('clock_jump')
  })

  const minute = 60_000
  /** Lines half a minute apart in batches of one minute, while the clock is ahead by so much from a minute on. */
  const stepped = (aheadMs: number, from = 10, minutes = 20) =>
    linesOf(
      ...Array.from({ length: minutes * 2 }, (_, n) => ({
        message: 'Flushed 4 records',
        tsMs: start + n * 30_000 + (n >= from * 2 ? aheadMs : 0),
        receivedMs: start + Math.floor(n / 2) * minute + minute,
      })),
    )
  const found = (lines: SummaryLine[]) =>
    summary(lines).content.findings.map(({ rule_id, cited }) => [rule_id, cited[0]?.sequence])

  it('a clock that goes forward by more than a minute is told from a pause by the times of arrival', () => {
    expect(found(stepped(3 * 86_400_000))).toEqual([['clock_jump', 21]])
    expect(found(stepped(4 * minute))).toEqual([['clock_jump', 21]])
    expect(summary(stepped(4 * minute)).content.headline).toBe('The clock of the device went forward once')
    expect(found(stepped(minute))).toEqual([])
    // Also if it was behind before, and in the first batch of a boot if it began in 1970.
    expect(
      found(
        stepped(-50 * 365 * 86_400_000, 0, 8).concat(
          stepped(0)
            .slice(16)
            .map((line) => ({ ...line })),
        ),
      ),
    ).toEqual([['clock_jump', 17]])
    expect(found(linesOf({ message: 'a', tsMs: 2000, receivedMs: start }, { message: 'b', receivedMs: start }))).toEqual([
      ['clock_jump', 2],
    ])
  })

  it('lines that arrive late are no jump of the clock: those of an outage in one batch or in many, or after a pause', () => {
    const lines = (pause: number, receivedAt: (n: number) => number) =>
      linesOf(
        ...Array.from({ length: 120 }, (_, n) => {
          const tsMs = start + n * minute + (n >= 60 ? pause : 0)
          return { message: 'Flushed 4 records', tsMs, receivedMs: receivedAt(n) }
        }),
      )
    const hour = 60 * minute
    const ofOutage = (size: number) => (n: number) =>
      n < 20 ? start + n * minute + 500 : start + 5 * hour + Math.floor((n - 20) / size) * 1000
    for (const size of [100, 30, 10, 3]) expect(ids(lines(4 * minute, ofOutage(size))), String(size)).toEqual([])
    expect(ids(lines(4 * minute, (n) => start + n * minute + (n >= 60 ? 4 * minute : 0) + 500))).toEqual([])
  })

  it('errors that come more often than in the week before', () => {
    const errors = linesOf(...Array.from({ length: 8 }, () => ({ message: 'sensor 4 gave no answer', level: 3 })))
    expect(ids(errors, { messages: new Set(['sensor <n> gave no answer']), errors: 168, hours: 168 })).toEqual(['error_rise'])
    expect(ids(errors, { messages: new Set(['sensor <n> gave no answer']), errors: 900, hours: 168 })).toEqual([])
    // The errors of eight hours that arrive within one.
    const stored = errors.map((line, n) => ({ ...line, tsMs: line.tsMs - (7 - n) * 3_600_000, receivedMs: start }))
    expect(ids(stored, { messages: new Set(['sensor <n> gave no answer']), errors: 168, hours: 168 })).not.toContain('error_rise')
  })

  it('errors that come more often, among the newest lines of a period that has too many', () => {
    const errors = linesOf(...Array.from({ length: 8 }, () => ({ message: 'sensor 4 gave no answer', level: 3 })))
    const past = { messages: new Set(['sensor <n> gave no answer']), errors: 168, hours: 168 }
    const week = { lines: errors, from: new Date(start - 167 * 3_600_000), to, past, bootBefore: null }
    const found = (isCut: boolean) => summarize({ ...week, isCut }).content.findings.map(({ sentence }) => sentence)
    expect(found(false)).toEqual([])
    expect(found(true)).toEqual(['The error rate is 8 times that of the week before'])
  })

  it('a warning that did not occur in the week before is new; on a new device none is', () => {
    const lines = linesOf({ message: 'valve 7 is stuck', level: 4 })
    expect(ids(lines, { messages: new Set(['another <n>']), errors: 0, hours: 168 })).toEqual(['new_pattern'])
    expect(ids(lines, { messages: new Set(['valve <n> is stuck']), errors: 0, hours: 168 })).toEqual([])
    expect(ids(lines)).toEqual([])
  })
})

describe('patterns', () => {
  it.each([
    ['Flushed 4 records in 80 ms', 'Flushed <n> records in <n> ms'],
    ['lease of 10.20.4.9:443 for 02:00:00:aa:bb:cc', 'lease of <ip> for <mac>'],
    ['EXT4-fs (mmcblk0p2): eth0 took 8ms', 'EXT4-fs (mmcblk0p2): eth0 took <n>ms'],
    ['open /data/spool/a-1.bin at 0xdeadbeef', 'open <path> at <hex>'],
    ['job 123e4567-e89b-12d3-a456-426614174000 ended', 'job <uuid> ended'],
  ])('%s', (message, pattern) => expect(masked(message)).toBe(pattern))

  it('messages that differ in one or two words are grouped', () => {
    const stations = ['north', 'south', 'east', 'west'].map((name) => ({ message: `Client ${name} connected from 10.0.0.1` }))
    const { templates } = summary(linesOf(...stations, { message: 'Queue is 80 % full' })).content
    expect(templates.map(({ pattern, count }) => [pattern, count])).toEqual([
      ['Client <*> connected from <ip>', 4],
      ['Queue is <n> % full', 1],
    ])
  })
})

describe('a summary', () => {
  const line = fc.record({
    tsMs: fc.integer({ min: start, max: start + 3_600_000 }),
    level: fc.integer({ min: 0, max: 7 }),
    unit: fc.constantFrom('kernel', 'systemd', null),
    bootId: fc.constantFrom('a', 'b', null),
    message: fc.oneof(fc.string(), fc.constantFrom(...rules.map(({ id }) => `${id} 4 of 7`))),
  })

  it('is the same for the same lines, and counts each of them', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), (said) => {
        const lines = linesOf(...said)
        const one = summary(lines)
        expect(summary(structuredClone(lines))).toEqual(one)
        const { levels, timeline, templates, headline } = one.content
        const total = (counts: { count: number }[]) => counts.reduce((sum, { count }) => sum + count, 0)
        expect(total(levels)).toBe(lines.length)
        expect(timeline.reduce((sum, { error, warning, other }) => sum + error + warning + other, 0)).toBe(lines.length)
        if (templates.length < 20) expect(total(templates)).toBe(lines.length)
        expect(headline.length).toBeLessThanOrEqual(160)
      }),
      { numRuns: 200 },
    )
  })

  it('of no lines says so', () => {
    expect(summary([])).toMatchObject({ verdict: 'normal', content: { headline: 'No lines in this period', boot_count: 0 } })
  })

  it('of ordinary lines gives their number', () => {
    const ordinary = (count: number) =>
      linesOf(...Array.from({ length: count }, () => ({ message: 'Flushed 4 records in 8 ms' })))
    expect(summary(ordinary(1)).content.headline).toBe('No findings in 1 line')
    expect(summary(ordinary(1200)).content.headline).toBe('No findings in 1,200 lines')
  })
})
