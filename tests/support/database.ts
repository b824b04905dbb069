import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'

export type TestDatabase = { url: string; drop: () => Promise<void> }

const asked = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: inject('postgres').url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A database of one's own: migrated (or `bare`), empty, and gone after `drop()`, even while connections are open. */
export const createDatabase = async ({ bare = false } = {}): Promise<TestDatabase> => {
  const { url: server, template: migrated } = inject('postgres')
  const template = bare ? 'template0' : migrated
  const name = `teasel_${randomBytes(6).toString('hex')}`
  await asked((client) => client.query(`create database ${name} template ${template} strategy file_copy`))
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    drop: () => asked(async (client) => void (await client.query(`drop database if exists ${name} with (force)`))),
  }
}
