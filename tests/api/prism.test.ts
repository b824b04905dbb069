import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createTag } from '../../contract/fleet/tags'
import { self } from '../../contract/accounts/users'
import { createTestApi, type TestApi } from '../support/api'
import { type Prism, startPrism } from '../support/prism'

let api: TestApi
let upstream: Server
let prism: Prism
/** What the host behind the proxy answers. */
let answer: { status: number; body: unknown }
let asked: (string | undefined)[]
beforeEach(() => void (asked = []))
beforeAll(async () => {
  upstream = createServer((request, response) => {
    asked.push(request.url)
    request.resume()
    response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(answer.body))
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  prism = await startPrism(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)
  api = await createTestApi()
})
afterAll(async () => {
  await prism.stop()
  await api.close()
  upstream.close()
  upstream.closeAllConnections()
})

const headers = { 'x-session-token': 'ses_of_somebody' }
const ask = () => prism.send({ method: 'GET', path: self.path, headers })

it('an answer as the document describes it passes the proxy, and a changed one does not', async () => {
  const ann = await api.person()
  const { body } = await api.call(self, {}, { as: ann })
  answer = { status: 200, body }
  const passed = await ask()
  expect([passed.statusCode, JSON.parse(passed.payload)]).toEqual([200, body])

  const { email: _, ...less } = body.data
  for (const changed of [
    { status: 200, body: { data: less } },
    { status: 200, body: { data: { ...body.data, full_name: 5 } } },
    { status: 200, body: [] },
    { status: 404, body: { error: 'not found' } },
    { status: 302, body },
  ]) {
    answer = changed
    await expect(ask(), JSON.stringify(changed)).rejects.toThrow('The OpenAPI document does not describe GET /users/self')
  }
})

it('a request that the document does not describe does not reach the host', async () => {
  answer = { status: 201, body: {} }
  const path = createTag.path.replace(':projectId', '01J00000000000000000000000')
  const sent = { method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' } }
  await expect(prism.send({ ...sent, payload: JSON.stringify({ name: 5, colour: 'moss' }) })).rejects.toThrow(/"body","name"/)
  expect(asked).toEqual([])
})
