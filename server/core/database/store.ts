import type { Config } from '../config'
import { type Embedded, openEmbedded } from './embedded'
import { migrate } from './migrate'
import { HOST_ROLE, mayChangeAuditLog, roleOf } from './roles'
import { watchEmbedded } from './watchdog'
import { lockDirectory } from './lock'
import type { Logger } from '../log'

export type Store = {
  /** Connects as the role of the hosts. */
  url: () => string
  /** Connects as the owner of the tables; the same as `url` where there is one role. */
  ownerUrl: () => string
}

type Opening = {
  /** Called as soon as there is something to close, also if the rest fails. */
  onOpened: (close: () => Promise<void>) => void
  /** Called when PostgreSQL runs at another address than before. */
  onMoved: (url: string) => void
}

// The lock guards the embedded server's files. With `DATABASE_URL` several processes are meant to run at once.
const openOwnServer = async (directory: string, log: Logger, { onOpened, onMoved }: Opening): Promise<Store> => {
  const lock = await lockDirectory(directory)
  try {
    let server = await openEmbedded({ directory })
    const open = (port: number) => openEmbedded({ directory, port })
    const moved = (to: Embedded) => {
      server = to
      onMoved(to.hostUrl)
    }
    const watch = watchEmbedded(server, { log, open, onMoved: moved })
    onOpened(() => watch.stop().finally(lock.release))
    return { url: () => server.hostUrl, ownerUrl: () => server.url }
  } catch (error) {
    await lock.release()
    throw error
  }
}

const hostRoleOf = ({ databaseUrl, databaseOwnerUrl }: Config): string | undefined => {
  if (databaseUrl === undefined) return HOST_ROLE
  return databaseOwnerUrl === undefined || roleOf(databaseOwnerUrl) === roleOf(databaseUrl) ? undefined : roleOf(databaseUrl)
}

/**
 * The migrated database of this configuration: the embedded server of the data directory, restarted when it ends, or the one of
 * `DATABASE_URL`.
 */
export const openStore = async (config: Config, log: Logger, opening: Opening): Promise<Store> => {
  const { databaseUrl, databaseOwnerUrl = databaseUrl } = config
  const store =
    databaseUrl === undefined || databaseOwnerUrl === undefined
      ? await openOwnServer(config.dataDirectory, log, opening)
      : { url: () => databaseUrl, ownerUrl: () => databaseOwnerUrl }
  await migrate({ url: store.ownerUrl(), note: (message) => log.warn(message), hostRole: hostRoleOf(config) })
  if (await mayChangeAuditLog(store.url()))
    log.warn(
      'The role of DATABASE_URL may change the audit log. Give the hosts a role of their own, and the owner of the tables in DATABASE_OWNER_URL (docs/operating.md).',
    )
  return store
}
