import { expect, it, vi } from 'vitest'
import { createClient } from './clients'
import { connectClient } from './connect'

const client = () => createClient({ connectionString: 'postgres://teasel:secret@db.example.com:6432/teasel' })

it('a database that cannot be reached is named with the reason of each of its addresses, without the password', async () => {
  const db = client()
  const refused = ['127.0.0.1', '::1'].map((address) => new Error(`connect ECONNREFUSED ${address}:6432`))
  vi.spyOn(db, 'connect').mockRejectedValue(new AggregateError(refused, ''))
  const error = await connectClient(db).catch((it: unknown) => it)
  expect(String(error)).toBe(
    'Error: PostgreSQL at db.example.com:6432 cannot be used: connect ECONNREFUSED 127.0.0.1:6432, connect ECONNREFUSED ::1:6432',
  )
})

it('a database that refuses the connection is named with its reason', async () => {
  const db = client()
  vi.spyOn(db, 'connect').mockRejectedValue(new Error('password authentication failed for user "teasel"'))
  await expect(connectClient(db)).rejects.toThrow(
    'PostgreSQL at db.example.com:6432 cannot be used: password authentication failed for user "teasel"',
  )
})
