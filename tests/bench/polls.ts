// Polls of hawkBit clients beside check-ins of our agents, over real HTTP and a real database: `npx tsx tests/bench/polls.ts
// [devices of each kind]`. If neither kind waits for the other, the p99 of one is at most twice that of the other.
import { performance } from 'node:perf_hooks'
import { checkIn } from '../../contract/device/endpoints'
import { createPersonalProject } from '../../contract/project-changes'
import { findEmbedded } from '../../server/core/database/embedded'
import { withClient } from '../../server/core/database/roles'
import { createToken, hashOf } from '../../server/core/tokens/token'
import { call } from '../e2e/support/call'
import { checkInBody } from '../support/devices'
import { measured, quantile, unlimited, withServer } from './server'

const count = Number(process.argv[2] ?? 5000)
/** So many requests are open at a time. */
const open = 64

type Kind = 'controller' | 'agent'
type Device = { kind: Kind; name: string; token: string }

/** Devices with their tokens, as rows: the plan of the account allows fewer. */
const make = async (url: string, projectId: string, kind: Kind): Promise<Device[]> => {
  const made = Array.from({ length: count }, (_, n) => ({ kind, name: `${kind}-${n}`, token: createToken('dvc') }))
  await withClient(url, async (client) => {
    await client.query(
      `insert into devices (id, created_at, updated_at, revision, project_id, name, serial_number, hardware_model, protocol, lifecycle, enrollment)
       select '01K' || upper(substr(md5($1 || name), 1, 23)), now(), now(), 1, $1, name, name, 'gw', $2, 'active', 'pre_enrolled'
       from unnest($3::text[]) as name`,
      [projectId, kind === 'agent' ? 'teasel' : 'ddi', made.map(({ name }) => name)],
    )
    await client.query(
      `insert into device_tokens (token_hash, project_id, device_id, prefix, created_at)
       select hash, $1, devices.id, '', now()
       from unnest($2::text[], $3::text[]) as given (name, hash)
       join devices on devices.project_id = $1 and devices.name = given.name`,
      [projectId, made.map(({ name }) => name), made.map(({ token }) => hashOf(token))],
    )
  })
  return made
}

await withServer(
  {
    TEASEL_LIMIT_REQUESTS_PER_MINUTE: unlimited,
    TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE: unlimited,
    TEASEL_LIMIT_DDI_REQUESTS_PER_MINUTE: unlimited,
  },
  async ({ api }, as, directory) => {
    const { url } = (await findEmbedded(directory)) ?? {}
    if (url === undefined) throw new Error('The database of the bench does not run.')
    const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
    const controllers = await make(url, project.id, 'controller')
    const agents = await make(url, project.id, 'agent')
    const both = controllers.flatMap((one, n) => [one, agents[n] ?? one])

    const ask = async ({ kind, name, token }: Device): Promise<number> => {
      const before = performance.now()
      const answer =
        kind === 'controller'
          ? await fetch(`${api}/DEFAULT/controller/v1/${name}`, { headers: { authorization: `TargetToken ${token}` } })
          : await fetch(`${api}${checkIn.path}`, {
              method: checkIn.method,
              headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
              body: JSON.stringify(checkInBody()),
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
    for (const { name, token } of controllers) {
      const answer = await fetch(`${api}/DEFAULT/controller/v1/${name}/configData`, {
        method: 'PUT',
        headers: { authorization: `TargetToken ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ data: { sw_version: '1.0.0' } }),
      })
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status}`)
    }
    await askAll('controllers alone', controllers)
    await askAll('agents alone', agents)
    const p99s = await askAll('both kinds', both)
    measured('both kinds, higher p99 by lower', Math.max(...p99s) / Math.min(...p99s), '')
  },
)
