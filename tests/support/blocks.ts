import { Client } from 'pg'
import { vi } from 'vitest'
import type { TestApi } from './api'

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}
type Sent = { text: string; values: unknown[] }

/**
 * What the statements of a call read: blocks, and rows of tables. Kept counts have a row for each combination of values, not for
 * each device: their rows are apart.
 */
export type Read = { statements: number; blocks: number; rows: number; counts: number }

const isRead = ({ text }: Sent) => /^\s*(select|with)\b/i.test(text)

const tableScans = new Set(['Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Heap Scan', 'Tid Scan', 'Sample Scan'])

const isCounts = ({ 'Relation Name': name = '' }: Node) => /_counts$|_count_changes$/.test(name)

/** Adds the rows that the scans of tables found, with those that a filter dropped. */
const addRows = (read: Read, node: Node): void => {
  const dropped = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  if (tableScans.has(node['Node Type']))
    read[isCounts(node) ? 'counts' : 'rows'] += Math.round((node['Actual Rows'] + dropped) * node['Actual Loops'])
  for (const plan of node.Plans ?? []) addRows(read, plan)
}

/** What the reading statements of a call read, by EXPLAIN (ANALYZE, BUFFERS): the same on a busy machine. */
export const readOf = async ({ deps }: TestApi, call: () => Promise<unknown>): Promise<Read> => {
  const query = vi.spyOn(Client.prototype, 'query')
  await call()
  const sent = query.mock.calls.map(([statement, values]: unknown[]): Sent => {
    const config = statement as string | { text: string; values?: unknown[] }
    return typeof config === 'string'
      ? { text: config, values: (values as unknown[] | undefined) ?? [] }
      : { text: config.text, values: config.values ?? (values as unknown[] | undefined) ?? [] }
  })
  query.mockRestore()
  const read: Read = { statements: 0, blocks: 0, rows: 0, counts: 0 }
  for (const { text, values } of sent.filter(isRead)) {
    const { rows } = await deps.pool.query<{ 'QUERY PLAN': { Plan: Node }[] }>(
      `explain (analyze, buffers, format json) ${text}`,
      values,
    )
    const [explained] = rows[0]?.['QUERY PLAN'] ?? []
    if (!explained) continue
    const { Plan: plan } = explained
    read.statements += 1
    read.blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    addRows(read, plan)
  }
  return read
}
