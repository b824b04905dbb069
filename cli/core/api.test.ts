import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { cancelDeviceJob, deviceJobs } from '../../contract/device-jobs'
import { connect } from './api'
import { type Refused, Unreachable } from './errors'

/** The requests that the server has received, and the statuses of its next answers; afterwards it answers 422. */
const received: { method: string | undefined; key: string | string[] | undefined }[] = []
let statuses: number[] = []
/** A proxy names no time after which to ask again. */
let isProxy = false
const server = createServer(({ method, headers }, response) => {
  received.push({ method, key: headers['idempotency-key'] })
  const status = statuses.shift()
  response.writeHead(status ?? 422, status === undefined || isProxy ? {} : { 'retry-after': '1' }).end()
})
let origin: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => void received.splice(0))

const cancel = () =>
  connect(origin, 'token')
    .call(cancelDeviceJob, { jobId: '01J00000000000000000000000' })
    .catch(({ status }: Refused) => status)

it('a POST that is repeated keeps its idempotency key, also while its first request is still running', async () => {
  statuses = [503, 409]
  expect(await cancel()).toBe(422)
  const [first, ...repeated] = received.map(({ key }) => key)
  expect(first).toMatch(/^[\x21-\x7e]{20,128}$/)
  expect(repeated).toEqual([first, first])
})

it('each call of a POST has an idempotency key of its own, and a read has none', async () => {
  statuses = []
  await cancel()
  await cancel()
  const [first, second] = received.map(({ key }) => key)
  expect(first).toBeDefined()
  expect(second).not.toBe(first)
  await expect(connect(origin, 'token').call(deviceJobs, { projectId: '01J00000000000000000000000' })).rejects.toThrow()
  expect(received.at(-1)).toEqual({ method: 'GET', key: undefined })
})

it.each([502, 503, 504])(
  'a proxy that answers with %s in the place of the server counts as a server that cannot be reached',
  async (status) => {
    isProxy = true
    statuses = [status]
    const asked = connect(origin, 'token').call(deviceJobs, { projectId: '01J00000000000000000000000' })
    const error: unknown = await asked.catch((reason: unknown) => reason)
    isProxy = false
    expect(error).toBeInstanceOf(Unreachable)
    expect(error).toMatchObject({ message: `${origin} cannot be reached: a proxy answers with status ${status}` })
  },
)
