import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Hosts, signUpOverHttp } from '../e2e/support/visitor'
import { freePort } from '../support/free-port'
import { type Program, startServer } from '../support/program'

export const owner = { name: 'Ines Quist', email: 'ines@example.com', password: 'lattice of lozenges' }
export const unlimited = '1000000000'

type Work = (hosts: Hosts, token: string, directory: string, server: Program) => Promise<void>

/** A server with its own embedded database, and an account: `token` is its session, `directory` the data directory. */
export const withServer = async (limits: Record<string, string>, work: Work): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'teasel-bench-'))
  const ports = { web: await freePort(), api: await freePort(), signIn: await freePort() }
  const server = startServer({
    TEASEL_EMPTY: '1',
    TEASEL_DATA_DIR: directory,
    TEASEL_WEB_PORT: String(ports.web),
    TEASEL_API_PORT: String(ports.api),
    TEASEL_SIGN_IN_PORT: String(ports.signIn),
    TEASEL_TRUSTED_PROXIES: '127.0.0.1, ::1',
    TEASEL_LOG_LEVEL: 'error',
    // As in production.
    TEASEL_LIMIT_DATABASE_S: '5',
    ...limits,
  })
  try {
    await server.ready
    const at = (port: number) => `http://localhost:${port}`
    const hosts = { console: at(ports.web), api: at(ports.api), signIn: at(ports.signIn) }
    await work(hosts, await signUpOverHttp(hosts, owner), directory, server)
  } catch (error) {
    process.stderr.write(server.printed())
    throw error
  } finally {
    server.child.kill('SIGTERM')
    await server.ended
    await rm(directory, { recursive: true, force: true })
  }
}

/** The value below which this part of the values is; 0 if there are none. */
export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0
export type Figure = { name: string; value: number; unit: string }
/** Prints a figure, and hands it to `tests/bench/run.ts` if that has started this program. */
export const measured = (name: string, value: number, unit: string): void => {
  process.stdout.write(`${name}: ${value.toFixed(Math.abs(value) < 10 ? 2 : 1)} ${unit}\n`)
  process.send?.({ name, value, unit } satisfies Figure)
}
