import { Client } from 'pg'
import { vi } from 'vitest'
import type { TestApi } from './api'

type Plan = { Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }
type Sent = { text: string; values: unknown[] }

const isRead = ({ text }: Sent) => /^\s*(select|with)\b/i.test(text)

/** The blocks that the reading statements of a call read, by EXPLAIN (ANALYZE, BUFFERS): the same on a busy machine. */
export const blocksOf = async ({ deps }: TestApi, call: () => Promise<unknown>): Promise<number> => {
  const query = vi.spyOn(Client.prototype, 'query')
  await call()
  const sent = query.mock.calls.map(([statement, values]: unknown[]): Sent => {
    const config = statement as string | { text: string; values?: unknown[] }
    return typeof config === 'string'
      ? { text: config, values: (values as unknown[] | undefined) ?? [] }
      : { text: config.text, values: config.values ?? (values as unknown[] | undefined) ?? [] }
  })
  query.mockRestore()
  let blocks = 0
  for (const { text, values } of sent.filter(isRead)) {
    const { rows } = await deps.pool.query<{ 'QUERY PLAN': Plan[] }>(`explain (analyze, buffers, format json) ${text}`, values)
    const [plan] = rows[0]?.['QUERY PLAN'] ?? []
    if (plan) blocks += plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks']
  }
  return blocks
}
