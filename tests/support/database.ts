import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import { inject } from 'vitest'
import { createClient } from '../../server/core/database/clients'

export type TestDatabase = {
  /** Connects as the role of the hosts; as the owner if it is bare. */
  url: string
  /** Connects as the owner of the tables, a superuser. */
  ownerUrl: string
  drop: () => Promise<void>
}

const asked = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
  const client = createClient({ connectionString: inject('postgres').url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A new database: migrated (or `bare`), empty, and deleted by `drop()`, even while connections are open. */
export const createDatabase = async ({ bare = false } = {}): Promise<TestDatabase> => {
  const { url: server, hostUrl, template: migrated } = inject('postgres')
  const template = bare ? 'template0' : migrated
  const name = `teasel_${randomBytes(6).toString('hex')}`
  await asked((client) => client.query(`create database ${name} template ${template} strategy file_copy`))
  const at = (base: string) => {
    const url = new URL(base)
    url.pathname = `/${name}`
    return url.href
  }
  return {
    url: at(bare ? server : hostUrl),
    ownerUrl: at(server),
    drop: () => asked(async (client) => void (await client.query(`drop database if exists ${name} with (force)`))),
  }
}
