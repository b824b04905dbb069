import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { cancelDeviceJob, deviceJobs } from '../../contract/fleet/device-jobs'
import { connect } from './api'
import { type Refused, Unreachable } from './errors'

/** The requests that the server has received, and the statuses of its next answers; afterwards it answers 422. */
const received: { method: string | undefined; key: string | string[] | undefined }[] = []
let statuses: number[] = []
/** A proxy names no time after which to ask again. */
let isProxy = false
/** So many of the next requests get no answer. */
let lost = 0
const server = createServer(({ method, headers }, response) => {
  received.push({ method, key: headers['idempotency-key'] })
  if (lost-- > 0) return void response.destroy()
  const status = statuses.shift()
  return void response.writeHead(status ?? 422, status === undefined || isProxy ? {} : { 'retry-after': '1' }).end()
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
beforeEach(() => {
  received.splice(0)
  statuses = []
  lost = 0
})

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

it('a POST whose answer is lost is repeated with its key, also when only a proxy has answered', async () => {
  lost = 1
  expect(await cancel()).toBe(422)
  isProxy = true
  statuses = [504]
  expect(await cancel()).toBe(422)
  isProxy = false
  const keys = received.map(({ key }) => key)
  expect(keys).toEqual([keys[0], keys[0], keys[2], keys[2]])
  expect(keys[0]).not.toBe(keys[2])
})

it('a POST that gets no answer in three attempts says that it is not known whether it was done; a read is not repeated', async () => {
  lost = 4
  const asked = connect(origin, 'token').call(cancelDeviceJob, { jobId: '01J00000000000000000000000' })
  await expect(asked).rejects.toThrow(/cannot be reached: .+\. It is not known whether this was done$/)
  expect(new Set(received.map(({ key }) => key)).size).toBe(1)
  expect(received).toHaveLength(3)
  const read = connect(origin, 'token').call(deviceJobs, { projectId: '01J00000000000000000000000' })
  await expect(read).rejects.not.toThrow('not known')
  expect(received).toHaveLength(4)
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
