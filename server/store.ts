import type { Config } from './config'
import { openEmbedded } from './database/embedded'
import { migrate } from './database/migrate'
import { type OpenDatabase, openDatabase } from './database/open'
import { lockDirectory } from './lock'
import type { Logger } from './log'

type Close = () => Promise<void>
type Server = { url: string; close: Close }

// The lock guards the embedded server's files. With `DATABASE_URL` several processes work side by side, on purpose.
const ownServer = async (directory: string): Promise<Server> => {
  const lock = await lockDirectory(directory)
  try {
    const server = await openEmbedded({ directory })
    return { url: server.url, close: () => server.stop().finally(lock.release) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The database of this configuration, migrated: the embedded server of the data directory, or the one of `DATABASE_URL`. */
export const openStore = async (config: Config, log: Logger): Promise<OpenDatabase> => {
  const server =
    config.databaseUrl === undefined ? await ownServer(config.dataDirectory) : { url: config.databaseUrl, close: async () => {} }
  try {
    await migrate({ url: server.url, note: (message) => log.warn(message) })
  } catch (error) {
    await server.close()
    throw error
  }
  const open = openDatabase({ url: server.url, onError: (error) => log.error(error, 'an idle database connection broke') })
  return { ...open, close: () => open.close().finally(server.close) }
}
