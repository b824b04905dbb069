import type { Config } from './config'
import { openEmbedded } from './database/embedded'
import { migrate } from './database/migrate'
import { watchEmbedded } from './database/watchdog'
import { lockDirectory } from './lock'
import type { Logger } from './log'

export type Store = { url: () => string; close: () => Promise<void> }

// The lock guards the embedded server's files. With `DATABASE_URL` several processes work side by side, on purpose.
const openOwnServer = async (directory: string, log: Logger, onMoved: (url: string) => void): Promise<Store> => {
  const lock = await lockDirectory(directory)
  try {
    const server = await openEmbedded({ directory })
    let url = server.url
    const open = (port: number) => openEmbedded({ directory, port })
    const moved = (to: string) => onMoved((url = to))
    const watch = watchEmbedded(server, { log, open, onMoved: moved })
    return { url: () => url, close: () => watch.stop().finally(lock.release) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The database of this configuration, migrated: the embedded server of the data directory, kept running, or the one of `DATABASE_URL`. */
export const openStore = async (config: Config, log: Logger, onMoved: (url: string) => void): Promise<Store> => {
  const { databaseUrl } = config
  const store =
    databaseUrl === undefined
      ? await openOwnServer(config.dataDirectory, log, onMoved)
      : { url: () => databaseUrl, close: async () => {} }
  try {
    await migrate({ url: store.url(), note: (message) => log.warn(message) })
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}
