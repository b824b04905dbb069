import { createHash } from 'node:crypto'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../core/database/clients'
import { createDatabase, type TestDatabase } from '../../tests/support/database'
import { CopyOut, startCopy } from './copy'

let database: TestDatabase
let client: Client

beforeAll(async () => {
  database = await createDatabase({ bare: true })
  client = createClient({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

// Rows of many lengths: packets of the connection begin and end within rows.
const rows = `select n, repeat(md5(n::text), n % 97) from generate_series(1, 20000) as n`

it('what is copied is exact, also when it is read more slowly than it arrives', async () => {
  const copy = startCopy(client, new CopyOut(`copy (${rows}) to stdout`))
  const hash = createHash('sha256')
  // Reads less at a time than a packet holds, as compression does.
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    hash.update(chunk)
    setImmediate(done)
  }
  await pipeline(copy, new Writable({ highWaterMark: 1024, write }))
  expect(copy.rows).toBe(20_000)
  const { rows: found } = await client.query<{ hash: string }>(
    `select encode(sha256(convert_to(string_agg(n || E'\\t' || text || E'\\n', '' order by n), 'UTF8')), 'hex') as hash
     from (${rows}) as given (n, text)`,
  )
  expect(hash.digest('hex')).toBe(found[0]?.hash)
})
