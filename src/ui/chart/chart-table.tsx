import { chart } from 'styled-system/recipes'
import { formatDate } from '../../lib/dates'
import { word } from './chart-summary'
import type { ChartData } from './chart'
import * as Table from '../list/table'

/** The values of a chart by time, newest first. Times without a value are left out, as the line has a gap there. */
export const ChartTable = ({ title, times, series, unit = '' }: ChartData & { title: string }) => {
  const columns = series.flatMap(({ label, values, upper, upperLabel = `${label} upper` }) => [
    { label, values },
    ...(upper ? [{ label: upperLabel, values: upper }] : []),
  ])
  const rows = times.flatMap((time, index) => (columns.some(({ values }) => values[index] != null) ? [{ time, index }] : []))
  return (
    <div className={chart().table} role="region" aria-label={`Values of ${title}`} tabIndex={0}>
      <Table.Root caption={title} dense auto>
        <Table.Head>
          <Table.Th>Time</Table.Th>
          {columns.map(({ label }) => (
            <Table.Th key={label} align="end">
              {label}
            </Table.Th>
          ))}
        </Table.Head>
        <Table.Body>
          {rows.toReversed().map(({ time, index }) => (
            <Table.Row key={time}>
              <Table.Cell>{formatDate(new Date(time * 1000))}</Table.Cell>
              {columns.map(({ label, values }) => {
                const value = values[index]
                return (
                  <Table.Cell key={label} align="end">
                    {value == null ? '–' : word(value, unit)}
                  </Table.Cell>
                )
              })}
            </Table.Row>
          ))}
        </Table.Body>
      </Table.Root>
    </div>
  )
}
