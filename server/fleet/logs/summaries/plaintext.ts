import type { LogSummary } from '../../../../contract/fleet/log-summaries'

const time = (ms: number) => new Date(ms).toISOString().replace('T', ' ').slice(0, 19)
const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)]
const amount = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

/** A summary as text for a ticket or a mail; every time in UTC. */
export const plaintextOf = (device: { name: string }, summary: LogSummary): string =>
  [
    `Log summary of ${device.name}`,
    `${summary.from} to ${summary.to}`,
    `${amount(summary.line_count, 'line')}, ${amount(summary.boot_count, 'boot')}${summary.cut ? ', newest only' : ''}`,
    '',
    `${summary.verdict.toUpperCase()}: ${summary.headline}`,
    ...section(
      'Findings',
      summary.findings.flatMap((finding) => [
        `[${finding.severity}] ${finding.sentence}`,
        ...finding.cited.map((line) => `    ${time(line.ts_ms)}  ${line.unit ?? '-'}: ${line.message}`),
        ...(finding.step === null ? [] : [`    Next: ${finding.step}`]),
      ]),
    ),
    ...section(
      'Levels',
      summary.levels.map(({ level, count }) => `${String(count).padStart(8)}  ${level}`),
    ),
    ...section(
      'Units (errors, warnings, others)',
      summary.units.map(
        ({ unit, error, warning, other }) =>
          `${String(error).padStart(8)}${String(warning).padStart(8)}${String(other).padStart(8)}  ${unit || '-'}`,
      ),
    ),
    ...section(
      'Messages that differ only in numbers',
      summary.templates.map(
        ({ count, level, unit, pattern, is_new }) =>
          `${String(count).padStart(8)}  ${level.padEnd(7)} ${unit ?? '-'}: ${pattern}${is_new ? '  (new)' : ''}`,
      ),
    ),
    ...section(
      'Boots',
      summary.boots.map(({ boot_id, ts_ms, lines }) => `${time(ts_ms)}  ${boot_id.slice(0, 8)}  ${amount(lines, 'line')}`),
    ),
    ...section(
      'Gaps',
      summary.gaps.map(
        ({ from_ts_ms, to_ts_ms, rebooted }) => `${time(from_ts_ms)} to ${time(to_ts_ms)}${rebooted ? '  (a new boot)' : ''}`,
      ),
    ),
    '',
    `Engine ${summary.engine_version}, input ${summary.input_hash}`,
    '',
  ].join('\n')
