import { stat } from 'node:fs/promises'
import type { Client } from 'pg'
import { createClient } from '../core/database/clients'
import type { Config } from '../core/config'
import { connectClient } from '../core/database/connect'
import { findEmbedded, openEmbedded } from '../core/database/embedded'
import { lockDirectory } from '../core/database/lock'
import { atSignal } from './at-signal'

export type Target = { url: string; close: () => Promise<void> }

/** Refuses root in the data directory of another user, who could not read or open what this process leaves there. */
export const requireOwnDirectory = async (directory: string): Promise<void> => {
  const found = process.getuid?.() === 0 ? await stat(directory).catch(() => undefined) : undefined
  if (!found || found.uid === 0) return
  throw new Error(
    `${directory} belongs to another user. Run this as that user: setpriv --reuid=${found.uid} --regid=${found.gid} --clear-groups …`,
  )
}

const openLocked = async (directory: string): Promise<Target> => {
  await requireOwnDirectory(directory)
  const lock = await lockDirectory(directory)
  const opening = openEmbedded({ directory })
  const stop = async () => (await opening).stop()
  const forget = atSignal(stop)
  const close = () => stop().finally(forget).finally(lock.release)
  try {
    return { url: (await opening).url, close }
  } catch (error) {
    forget()
    await lock.release()
    throw error
  }
}

/** The database to copy from: by its URL, the running embedded server, or one started for this time. */
export const openSource = async ({ databaseUrl, databaseOwnerUrl = databaseUrl, dataDirectory }: Config): Promise<Target> => {
  if (databaseOwnerUrl !== undefined) return { url: databaseOwnerUrl, close: async () => {} }
  const running = await findEmbedded(dataDirectory)
  return running ? { url: running.url, close: async () => {} } : openLocked(dataDirectory)
}

/** The database to copy into; no other process may use that of a data directory meanwhile. */
export const openTarget = async ({ databaseUrl, databaseOwnerUrl = databaseUrl, dataDirectory }: Config): Promise<Target> =>
  databaseOwnerUrl === undefined ? openLocked(dataDirectory) : { url: databaseOwnerUrl, close: async () => {} }

/** Runs long work on a connection outside any pool. */
export const connected = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = createClient({
    connectionString: url,
    application_name: 'teasel-backup',
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  })
  await connectClient(client)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
