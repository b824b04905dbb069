import { css } from 'styled-system/css'
import type { LogSummary } from '../../../contract/fleet/log-summaries'
import { formatCount } from '../../lib/amounts'
import { pluralize } from '../../lib/pluralize'
import { formatDate } from '../../lib/dates'
import { formatDuration } from '../../lib/durations'
import { Chip } from '../../ui/text/chip'
import * as Table from '../../ui/list/table'

const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const box = css({ border: 'line', borderRadius: '6', overflow: 'hidden', minW: '0' })
const beside = css({
  display: 'grid',
  gap: '16',
  gridTemplateColumns: { base: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) minmax(0, 1fr)' },
})
const pattern = css({ textStyle: 'mono', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' })
const roomyOnly = css({ hideBelow: 'md' })
const count = (value: number) => (value === 0 ? <span className={css({ color: 'muted' })}>0</span> : formatCount(value))

const Templates = ({ templates }: Pick<LogSummary, 'templates'>) => (
  <div className={box}>
    <Table.Root caption="Messages that differ only in numbers" auto scroll dense>
      <Table.Head>
        <Table.Th align="end">Count</Table.Th>
        <Table.Th className={roomyOnly}>Level</Table.Th>
        <Table.Th className={roomyOnly}>Unit</Table.Th>
        <Table.Th>Message</Table.Th>
      </Table.Head>
      <Table.Body>
        {templates.map((one) => (
          <Table.Row key={`${one.unit}:${one.pattern}`}>
            <Table.Cell align="end">{formatCount(one.count)}</Table.Cell>
            <Table.Cell quiet className={roomyOnly}>
              {one.level}
            </Table.Cell>
            <Table.Cell mono quiet className={roomyOnly}>
              {one.unit ?? '–'}
            </Table.Cell>
            <Table.Cell wrap title={one.example}>
              <span className={pattern}>{one.pattern}</span> {one.is_new && <Chip shape="info">New</Chip>}
            </Table.Cell>
          </Table.Row>
        ))}
      </Table.Body>
    </Table.Root>
  </div>
)

const Units = ({ units }: Pick<LogSummary, 'units'>) => (
  <div className={box}>
    <Table.Root caption="Lines by unit" auto scroll dense>
      <Table.Head>
        <Table.Th>Unit</Table.Th>
        <Table.Th align="end">Errors</Table.Th>
        <Table.Th align="end">Warnings</Table.Th>
        <Table.Th align="end">Others</Table.Th>
      </Table.Head>
      <Table.Body>
        {units.map((one) => (
          <Table.Row key={one.unit}>
            <Table.Cell mono>{one.unit || '–'}</Table.Cell>
            <Table.Cell align="end">{count(one.error)}</Table.Cell>
            <Table.Cell align="end">{count(one.warning)}</Table.Cell>
            <Table.Cell align="end">{count(one.other)}</Table.Cell>
          </Table.Row>
        ))}
      </Table.Body>
    </Table.Root>
  </div>
)

const Course = ({ boots, gaps }: Pick<LogSummary, 'boots' | 'gaps'>) => (
  <div className={box}>
    <Table.Root caption="Boots and gaps" auto scroll dense>
      <Table.Head>
        <Table.Th>Boots and gaps</Table.Th>
        <Table.Th>Begins</Table.Th>
        <Table.Th align="end">Size</Table.Th>
      </Table.Head>
      <Table.Body>
        {[
          ...boots.map((boot) => ({
            key: boot.boot_id,
            what: (
              <>
                Boot <code className={css({ textStyle: 'mono' })}>{boot.boot_id.slice(0, 8)}</code>
              </>
            ),
            at: boot.ts_ms,
            extent: pluralize(boot.lines, 'line'),
          })),
          ...gaps.map((gap) => ({
            key: `gap ${gap.from_ts_ms}`,
            what: gap.rebooted ? 'Gap, then a new boot' : 'Gap',
            at: gap.from_ts_ms,
            extent: formatDuration((gap.to_ts_ms - gap.from_ts_ms) / 1000),
          })),
        ]
          .toSorted((a, b) => a.at - b.at)
          .map(({ key, what, at, extent }) => (
            <Table.Row key={key}>
              <Table.Cell>{what}</Table.Cell>
              <Table.Cell quiet>{formatDate(new Date(at))}</Table.Cell>
              <Table.Cell align="end">{extent}</Table.Cell>
            </Table.Row>
          ))}
      </Table.Body>
    </Table.Root>
  </div>
)

/** Statistics of the lines. */
export const SummaryTables = ({ summary: { templates, units, boots, gaps } }: { summary: LogSummary }) => (
  <div className={stack}>
    <Templates templates={templates} />
    <div className={beside}>
      <Units units={units} />
      <Course boots={boots} gaps={gaps} />
    </div>
  </div>
)
