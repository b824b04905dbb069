// What the metrics for operators cost a check-in: two servers side by side, one with TEASEL_METRICS_PORT, are asked in turns, so that
// other work on the machine slows both: `npx tsx tests/bench/metrics.ts [check-ins]`.
import { checkIn } from '../../contract/device/endpoints'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { findEmbedded } from '../../server/core/database/embedded'
import { call } from '../e2e/support/call'
import { checkInBody } from '../support/devices'
import { freePorts } from '../support/free-port'
import { insertDevices } from './devices'
import { secondsOf } from './processor'
import { measured, unlimited, withServer } from './server'

const count = Number(process.argv[2] ?? 500)
const rounds = 12
const open = 16

const limits = { TEASEL_LIMIT_REQUESTS_PER_MINUTE: unlimited, TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE: unlimited }
const body = JSON.stringify(checkInBody())

type Asked = { ask: () => Promise<number>; spent: number }

/** A server with devices; `ask` lets each check in and returns the processor time of the API host, in seconds. */
const withDevices = (more: Record<string, string>, work: (asked: Asked) => Promise<void>) =>
  withServer({ ...limits, ...more }, async ({ api }, as, directory, server) => {
    const { url = '' } = (await findEmbedded(directory)) ?? {}
    const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
    const devices = await insertDevices(url, { projectId: project.id, kind: 'agent', count, protocol: 'teasel' })
    const pid = (await server.pidOf('api')) ?? 0
    const ask = async () => {
      const before = await secondsOf(pid)
      let next = 0
      const worker = async () => {
        for (let one = devices[next++]; one; one = devices[next++]) {
          const headers = { authorization: `Bearer ${one.token}`, 'content-type': 'application/json' }
          const answer = await fetch(`${api}${checkIn.path}`, { method: checkIn.method, headers, body })
          await answer.text()
          if (answer.status !== 200) throw new Error(`${answer.status}`)
        }
      }
      await Promise.all(Array.from({ length: open }, worker))
      return (await secondsOf(pid)) - before
    }
    // The first contact of a device stores more than later ones.
    for (const _ of [1, 2]) await ask()
    await work({ ask, spent: 0 })
  })

const port = String(await freePorts(3))
await withDevices({}, (bare) =>
  withDevices({ TEASEL_METRICS_PORT: port }, async (observed) => {
    for (let round = 0; round < rounds; round++) for (const one of [bare, observed]) one.spent += await one.ask()
    const each = ({ spent }: Asked) => (spent / rounds / count) * 1e6
    measured('check-in without metrics, Node', each(bare), 'µs each')
    measured('check-in with metrics, Node', each(observed), 'µs each')
    measured('with metrics, of that without', (observed.spent / bare.spent) * 100, '%')
    // The first one connects to the database.
    await fetch(`http://127.0.0.1:${port}/metrics`)
    const before = performance.now()
    const { length } = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    measured('a scrape', performance.now() - before, 'ms')
    measured('its answer', length / 1024, 'KiB')
  }),
)
