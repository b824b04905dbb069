import { Client } from 'pg'
import { vi } from 'vitest'

type Node = {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Index Cond'?: string
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: Node[]
}
type Explained = { rows: { 'QUERY PLAN': { Plan: Node }[] }[] }

/** A statement, and the most rows, or values of a list, that one step of its plan has handled. */
export type StatementWork = { text: string; rows: number }

/** Each scan of an index sorts the list of values that it looks for. */
const listedIn = (condition = '') => condition.split(',').length

const rowsOf = (node: Node): number => {
  const dropped = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)
  const own = Math.max(node['Actual Rows'] + dropped, listedIn(node['Index Cond']))
  return Math.max(own * node['Actual Loops'], ...(node.Plans ?? []).map(rowsOf))
}

const isChange = (text: string) => /\b(insert|update|delete)\b/i.test(text.replaceAll(/\bfor (no key )?update\b/gi, ''))

/**
 * What the statements of a call did, by EXPLAIN (ANALYZE): the same on a busy machine. The plans are those of the call itself, made
 * in its transaction: changes that return nothing are run by EXPLAIN, reads once more after it.
 */
export const workOfStatements = async (call: () => Promise<unknown>): Promise<StatementWork[]> => {
  const done: StatementWork[] = []
  const send: (...given: unknown[]) => unknown = Reflect.get(Client.prototype, 'query')
  const query = vi.spyOn(Client.prototype, 'query')
  // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of `query`
  query.mockImplementation(async function explain(this: Client, ...given: any[]) {
    const [statement, values] = given
    const text: string = typeof statement === 'string' ? statement : statement.text
    const params = values ?? statement.values ?? []
    const isRead = /^\s*(select|with)\b/i.test(text) && !isChange(text)
    const isSilent = /^\s*(insert|update)\b/i.test(text) && !/\breturning\b/i.test(text)
    // The pool calls back: those statements are not of a transaction.
    if (typeof given.at(-1) === 'function' || (!isRead && !isSilent)) return send.apply(this, given)
    const explained = (await send.call(this, `explain (analyze, format json) ${text}`, params)) as Explained
    const plan = explained.rows[0]?.['QUERY PLAN'][0]?.Plan
    if (plan) done.push({ text, rows: rowsOf(plan) })
    return isRead ? send.apply(this, given) : { rows: [], rowCount: 0 }
  })
  try {
    await call()
  } finally {
    query.mockRestore()
  }
  return done
}
