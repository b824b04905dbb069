// Polls of hawkBit clients beside check-ins of our agents, over real HTTP and a real database: `npx tsx tests/bench/polls.ts
// [devices of each kind]`. If neither kind waits for the other, the p99 of one is at most twice that of the other. The statements
// of a poll are those that the server of the database logs, less those of an idle server in the same time. The agents that were
// moved run a release that is none of their project.
import { execFile } from 'node:child_process'
import { open as openFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { CheckInBody } from '../../contract/device/api'
import { checkIn } from '../../contract/device/endpoints'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { findEmbedded } from '../../server/core/database/embedded'
import { withClient } from '../../server/core/database/roles'
import { nextId } from '../../server/core/ids'
import { call } from '../e2e/support/call'
import { checkInBody } from '../support/devices'
import type { Program } from '../support/program'
import { insertDevices } from './devices'
import { measured, quantile, unlimited, withServer } from './server'

const count = Number(process.argv[2] ?? 5000)
/** So many requests are open at a time. */
const open = 64

type Kind = 'controller' | 'agent'
type Device = { kind: Kind; name: string; token: string; installed?: CheckInBody['installed'] }

const make = async (url: string, projectId: string, kind: Kind): Promise<Device[]> => {
  const protocol = kind === 'agent' ? 'teasel' : 'ddi'
  return (await insertDevices(url, { projectId, kind, count, protocol })).map((device) => ({ kind, ...device }))
}

/** The statements that are sent to the database during `work`. */
const countStatements = async (url: string, log: string, work: () => Promise<unknown>): Promise<number> => {
  const logAll = (value: 'all' | 'none') =>
    withClient(url, async (client) => {
      await client.query(`alter system set log_statement = '${value}'`)
      await client.query('select pg_reload_conf()')
    })
  await logAll('all')
  // Backends read their settings before their next statement.
  await pause(500)
  const { size } = await stat(log)
  await work()
  const file = await openFile(log)
  const { size: end } = await file.stat()
  const { buffer } = await file.read(Buffer.alloc(end - size), 0, end - size, size)
  await file.close()
  await logAll('none')
  return buffer.toString('utf8').match(/LOG: +(?:statement|execute [^:]*): /g)?.length ?? 0
}

/** The memory of the API host in MiB. */
const memoryOf = async (server: Program): Promise<number> => {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(await server.pidOf('api'))])
  return Number(stdout) / 1024
}

await withServer(
  {
    TEASEL_LIMIT_REQUESTS_PER_MINUTE: unlimited,
    TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE: unlimited,
    TEASEL_LIMIT_DDI_REQUESTS_PER_MINUTE: unlimited,
  },
  async ({ api }, as, directory, server) => {
    const { url } = (await findEmbedded(directory)) ?? {}
    if (url === undefined) throw new Error('The database of the bench does not run.')
    const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
    const began = performance.now()
    const controllers = await make(url, project.id, 'controller')
    const agents = await make(url, project.id, 'agent')
    const both = controllers.flatMap((one, n) => [one, agents[n] ?? one])

    measured(`making 2 x ${count} devices`, (performance.now() - began) / 1000, 's')
    measured('memory of the API before', await memoryOf(server), 'MiB')

    const ask = async ({ kind, name, token, installed = null }: Device): Promise<number> => {
      const before = performance.now()
      const answer =
        kind === 'controller'
          ? await fetch(`${api}/DEFAULT/controller/v1/${name}`, { headers: { authorization: `TargetToken ${token}` } })
          : await fetch(`${api}${checkIn.path}`, {
              method: checkIn.method,
              headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
              body: JSON.stringify(checkInBody({ installed })),
            })
      await answer.text()
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status}`)
      return performance.now() - before
    }
    const askAll = async (name: string, list: readonly Device[]) => {
      const waits: Record<Kind, number[]> = { controller: [], agent: [] }
      let next = 0
      const worker = async () => {
        for (let one = list[next++]; one; one = list[next++]) waits[one.kind].push(await ask(one))
      }
      const before = performance.now()
      await Promise.all(Array.from({ length: open }, worker))
      const seconds = (performance.now() - before) / 1000
      measured(`${name}, ${list.length} polls, ${open} at a time`, list.length / seconds, 'a second')
      return (['controller', 'agent'] as const).flatMap((kind) => {
        const of = waits[kind]
        if (of.length === 0) return []
        const p99 = quantile(of, 0.99)
        measured(`${name}, ${kind}s, median`, quantile(of, 0.5), 'ms')
        measured(`${name}, ${kind}s, p99`, p99, 'ms')
        measured(`${name}, ${kind}s, longest`, quantile(of, 1), 'ms')
        return [p99]
      })
    }
    await askAll('first contacts', both)
    // As clients do; the polls of a device that has never sent its attributes ask for them.
    const sendAttributes = async ({ name, token }: Device) => {
      const answer = await fetch(`${api}/DEFAULT/controller/v1/${name}/configData`, {
        method: 'PUT',
        headers: { authorization: `TargetToken ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ data: { sw_version: '1.0.0' } }),
      })
      await answer.text()
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status}`)
    }
    for (let n = 0; n < count; n += open) await Promise.all(controllers.slice(n, n + open).map(sendAttributes))
    await askAll('controllers alone', controllers)
    await askAll('agents alone', agents)
    const p99s = await askAll('both kinds', both)
    measured('both kinds, higher p99 by lower', Math.max(...p99s) / Math.min(...p99s), '')
    measured('memory of the API after', await memoryOf(server), 'MiB')

    const log = join(directory, 'postgres.log')
    const installed = { release_id: nextId(new Date()), version: 4, slot: 'a', confirmed: true } as const
    const moved = agents.map((agent) => ({ ...agent, installed }))
    await askAll('moved agents, first polls', moved)
    await askAll('moved agents', moved)
    for (const [name, list] of Object.entries({ 'a controller': controllers, 'a moved agent': moved, 'an agent': agents })) {
      const some = list.slice(0, Math.min(count, 200))
      for (const device of some) await ask(device)
      const before = performance.now()
      const sent = await countStatements(url, log, async () => {
        for (const device of some) await ask(device)
      })
      const idle = await countStatements(url, log, () => pause(performance.now() - before))
      measured(`statements of a poll of ${name}`, (sent - idle) / some.length, '')
    }
  },
)
