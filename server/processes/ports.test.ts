import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { freePort, freePorts } from '../../tests/support/free-port'
import { readConfig } from '../core/config'
import { probePorts } from './ports'

const taken = createServer()
afterEach(async () => {
  taken.close()
  await once(taken, 'close')
})
const take = async (port: number) => {
  taken.listen(port, '127.0.0.1')
  await once(taken, 'listening')
}

it('a port that is taken is named before the start, with the variable that changes it', async () => {
  const port = await freePort()
  await take(port)
  const config = readConfig({ TEASEL_HOSTS: 'api', TEASEL_API_PORT: String(port) })
  await expect(probePorts(config)).rejects.toThrow(`Port ${port} of the api host is taken. Name another one in TEASEL_API_PORT.`)
})

it('each host has a port for metrics of its own, and one that is taken is named too', async () => {
  const [api, signIn, metrics] = [await freePort(), await freePort(), await freePorts(3)]
  const config = (TEASEL_HOSTS: string) =>
    readConfig({
      TEASEL_HOSTS,
      TEASEL_API_PORT: String(api),
      TEASEL_SIGN_IN_PORT: String(signIn),
      TEASEL_METRICS_PORT: String(metrics),
    })
  expect(config('api').metrics).toEqual({
    bind: '127.0.0.1',
    ports: { api: metrics, 'sign-in': metrics + 1, console: metrics + 2 },
  })
  await take(metrics + 1)
  await expect(probePorts(config('api,sign-in'))).rejects.toThrow(
    `Port ${metrics + 1} for the metrics of the sign-in host is taken. Name another one in TEASEL_METRICS_PORT.`,
  )
  await probePorts(config('api'))
})
