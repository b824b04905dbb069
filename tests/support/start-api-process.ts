import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { TestApi } from './api'
import { freePort } from './free-port'

const script = fileURLToPath(new URL('api-process.ts', import.meta.url))

/** A second API host over the database and files of the first, in its own process and with the real clock. */
export const startApiProcess = async (
  api: TestApi,
  variables: Record<string, string> = {},
  /** It is called by its own address, which is then its URL. */
  hasOwnUrl = false,
): Promise<{ child: ChildProcess; port: number }> => {
  const port = await freePort()
  const env = {
    ...process.env,
    TEASEL_LIMIT_DATABASE_S: '120',
    ...variables,
    DATABASE_URL: api.config.databaseUrl,
    TEASEL_DATA_DIR: api.config.dataDirectory,
    TEASEL_API_PORT: String(port),
    TEASEL_API_URL: hasOwnUrl ? `http://127.0.0.1:${port}` : api.config.urls.api,
  }
  const child = spawn(process.execPath, ['--import', 'tsx', script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return { child, port }
}
