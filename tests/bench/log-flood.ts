// Latency during a flood of log lines, over real HTTP and a real database: `npx tsx tests/bench/log-flood.ts [seconds]`. T-19: 50
// devices send 1,000 lines a second each for 60 s; the p99 of a person's requests meanwhile must be under 200 ms, and the table
// of lines grows by 452 bytes for each accepted line.
import { setTimeout as pause } from 'node:timers/promises'
import * as wire from '../../contract/device/endpoints'
import { deviceSystemLogs } from '../../contract/fleet/device-logs'
import { createDevice, devices } from '../../contract/fleet/devices'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { findEmbedded } from '../../server/core/database/embedded'
import { withClient } from '../../server/core/database/roles'
import { call } from '../e2e/support/call'
import { measured, quantile, unlimited, withServer } from './server'

const seconds = Number(process.argv[2] ?? 60)
const perSecond = 1000
/** The most devices of a new account's plan in one project, twice. */
const devicesOfProject = 25

const batchOf = (second: number) =>
  Array.from({ length: perSecond }, (_, n) => {
    const sequence = second * perSecond + n + 1
    const message = `Client station-${n % 97} connected from 10.20.${n % 256}.7:40123 (p2, c1, k60).`
    const boot_id = '0b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c11'
    return JSON.stringify({ sequence, ts_ms: Date.now(), level: 'info', unit: 'mosquitto', message, boot_id })
  }).join('\n')

const counts = { accepted: 0, dropped: 0, refused: 0 }
const send = async (api: string, token: string, body: string) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' }
  const answer = await fetch(`${api}${wire.logs.path}`, { method: 'POST', headers, body })
  if (answer.status !== 202) {
    await answer.text()
    counts.refused++
    return
  }
  const { accepted, dropped } = (await answer.json()) as { accepted: number; dropped: number }
  counts.accepted += accepted
  counts.dropped += dropped
}

/** Size of the table of lines with its indexes, in bytes. */
const sizeOf = async (directory: string) => {
  const { url } = (await findEmbedded(directory)) ?? {}
  if (url === undefined) throw new Error('The database of the bench does not run.')
  const query = "select sum(pg_total_relation_size(relid))::float8 as bytes from pg_partition_tree('device_logs')"
  return withClient(url, async (client) => Number((await client.query<{ bytes: number }>(query)).rows[0]?.bytes))
}

await withServer({ TEASEL_LIMIT_REQUESTS_PER_MINUTE: unlimited }, async ({ api }, as, directory) => {
  const made: { id: string; token: string; projectId: string }[] = []
  for (const name of ['Orchard', 'Meadow']) {
    const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name } })
    for (let n = 0; n < devicesOfProject; n++) {
      const body = { name: `gateway ${n}`, hardware_model: 'gw' }
      const { body: device } = await call(api, createDevice, { projectId: project.id }, { as, body })
      made.push({ id: device.id, token: device.device_token, projectId: project.id })
    }
  }
  const [watched] = made
  if (!watched) throw new Error('There is no device.')

  /** Requests the devices and the newest lines of one in turn, until aborted. */
  const ask = async (over: AbortSignal) => {
    const times: number[] = []
    while (!over.aborted) {
      for (const request of [
        () => call(api, devices, { projectId: watched.projectId }, { as }),
        () => call(api, deviceSystemLogs, { deviceId: watched.id }, { as }),
      ]) {
        const began = performance.now()
        await request()
        times.push(performance.now() - began)
        await pause(20)
      }
    }
    return times
  }
  const told = (name: string, times: readonly number[]) => {
    measured(`T-19 ${name}, median of ${times.length}`, quantile(times, 0.5), 'ms')
    measured(`T-19 ${name}, p99`, quantile(times, 0.99), 'ms')
  }

  told('without a flood', await ask(AbortSignal.timeout(5000)))
  const before = await sizeOf(directory)
  const over = new AbortController()
  const asked = ask(over.signal)
  const began = performance.now()
  const sent: Promise<void>[] = []
  for (let second = 0; second < seconds; second++) {
    const body = batchOf(second)
    // Staggered: all at once would be a short flood followed by a pause.
    for (const [n, { token }] of made.entries()) {
      const due = began + second * 1000 + (n * 1000) / made.length
      await pause(Math.max(0, due - performance.now()))
      sent.push(send(api, token, body))
    }
  }
  await Promise.all(sent)
  const took = (performance.now() - began) / 1000
  over.abort()
  told(`beside ${made.length} devices with ${perSecond} lines a second, ${took.toFixed(0)} s`, await asked)
  const bytes = ((await sizeOf(directory)) - before) / counts.accepted
  measured('T-19 lines accepted', counts.accepted, '')
  measured('T-19 lines dropped', counts.dropped, '')
  measured('T-19 batches refused', counts.refused, '')
  measured('T-19 size of an accepted line', bytes, 'bytes')
})
