import { css } from 'styled-system/css'
import { importLimits, type ImportResult, strongTokenLength } from '../../../../contract/fleet/device-imports'
import { formatCount } from '../../../lib/amounts'
import { pluralize } from '../../../lib/pluralize'
import { saveFile } from '../../../lib/save-file'
import { Button } from '../../../ui/button'
import { FactStrip } from '../../../ui/layout/facts'
import { Icon } from '../../../ui/icon/icon'
import { Callout } from '../../../ui/layout/notice'
import * as Table from '../../../ui/list/table'

const shown = 50
const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })

const cell = (value: string | number | null) => `"${String(value ?? '').replaceAll('"', '""')}"`
const toCsv = ({ errors }: ImportResult) =>
  [
    ['line', 'controller_id', 'field', 'rule', 'message'],
    ...errors.map(({ line, controller_id, field, code, message }) => [line, controller_id, field, code, message]),
  ]
    .map((row) => `${row.map(cell).join(',')}\r\n`)
    .join('')

const Errors = ({ result }: { result: ImportResult }) => (
  <>
    <Table.Root caption="Lines with errors" auto scroll stack>
      <Table.Head>
        <Table.Th>Line</Table.Th>
        <Table.Th>Controller id</Table.Th>
        <Table.Th>Field</Table.Th>
        <Table.Th>Error</Table.Th>
      </Table.Head>
      <Table.Body>
        {result.errors.slice(0, shown).map((error) => (
          <Table.Row key={`${error.line}:${error.field}`}>
            <Table.Cell mono at="lead">
              {error.line}
            </Table.Cell>
            <Table.Cell mono quiet at="end">
              {error.controller_id ?? '–'}
            </Table.Cell>
            <Table.Cell mono quiet>
              {error.field === '' ? '–' : error.field}
            </Table.Cell>
            <Table.Cell wrap at="sub">
              {error.message}
            </Table.Cell>
          </Table.Row>
        ))}
      </Table.Body>
    </Table.Root>
    <div>
      <Button
        size="small"
        icon={<Icon name="dl" size={14} />}
        onClick={() => saveFile('import-errors.csv', toCsv(result), 'text/csv')}
      >
        Download {result.failed > importLimits.errors ? `the first ${formatCount(importLimits.errors)} errors` : 'all errors'}
      </Button>
    </div>
  </>
)

/** What a check found, or what an import did: counts, then the lines that are left out. */
export const ImportSummary = ({ result }: { result: ImportResult | undefined }) =>
  result && (
    <div className={stack}>
      <FactStrip
        facts={[
          { label: 'Lines', value: formatCount(result.lines) },
          { label: result.dry_run ? 'New devices' : 'Imported', value: formatCount(result.created) },
          { label: 'There already', value: formatCount(result.unchanged) },
          { label: 'Left out', value: formatCount(result.failed) },
        ]}
      />
      {result.weak_tokens > 0 && (
        <Callout kind="warning">
          {pluralize(result.weak_tokens, 'token')} of less than {strongTokenLength} characters. Issue new tokens on the pages of
          these devices when they have arrived.
        </Callout>
      )}
      {result.without_token > 0 && (
        <Callout kind="warning">
          {pluralize(result.without_token, 'new device')} without a token. Their clients are refused until you issue one on the
          page of the device.
        </Callout>
      )}
      {result.failed > 0 && <Errors result={result} />}
    </div>
  )
