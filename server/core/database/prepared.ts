import type { Tx } from './tx'

type Prepared<Row> = { execute: { rows: Row[] }; all: unknown; values: unknown }

/**
 * A query that is built once for each database and parsed once on each of its connections, by `build(tx)…prepare(name)`: building
 * takes longer than the query itself where a request is nothing but a look-up.
 */
export const prepareOnce = <Q>(build: (tx: Tx) => Q): ((tx: Tx) => Q) => {
  const built = new WeakMap<Tx, Q>()
  return (tx) => {
    const known = built.get(tx)
    if (known !== undefined) return known
    const query = build(tx)
    built.set(tx, query)
    return query
  }
}

/** Runs a text with values that the server parses once on each connection. */
export const runPrepared = async <Row = never>(tx: Tx, name: string, text: string, params: unknown[]): Promise<Row[]> => {
  const query = tx._.session.prepareQuery<Prepared<Row>>({ sql: text, params }, undefined, name, false)
  return (await query.execute()).rows
}
