import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { rights } from '../../rights'
import { createToken, hashOf } from '../tokens/token'
import { createBadTokens } from './bad-tokens'
import { Refusal } from './refuse'

let api: TestApi
beforeAll(async () => void (api = await createTestApi({ TEASEL_LIMIT_BAD_TOKENS_PER_MINUTE: '1' })))
afterAll(() => api.close())

const start = new Date(0)

it('loads all issued tokens once an hour and the new ones otherwise, so that ended ones leave the memory', async () => {
  const loads: Date[] = []
  const good = hashOf(createToken('ses'))
  let issued = [{ tokenHash: good }]
  const lookUp = createBadTokens(api.deps, {
    ...rights.issuedTokens,
    session: async (_tx, since) => {
      loads.push(since)
      return issued
    },
  })
  const ask = async (tokenHash: string) => {
    const find = async () => (tokenHash === good ? 'found' : null)
    return lookUp({ kind: 'session', ip: '10.0.0.1', tokenHash, find }).catch((error: unknown) =>
      error instanceof Refusal ? error.status : Promise.reject(error),
    )
  }
  const bad = () => ask(hashOf(createToken('ses')))
  expect([await bad(), await bad(), await ask(good)]).toEqual([null, 429, 'found'])
  expect(loads).toEqual([start])
  issued = []
  expect(await bad()).toBe(429)
  expect(loads[1]?.getTime()).toBeGreaterThan(0)
  expect(await ask(good)).toBe('found')
  api.advance(3600)
  expect([await bad(), await bad(), await ask(good)]).toEqual([null, 429, 429])
  expect(loads[2]).toEqual(start)
})

it('loads issued tokens one load at a time', async () => {
  let running = 0
  let most = 0
  const lookUp = createBadTokens(api.deps, {
    ...rights.issuedTokens,
    session: async () => {
      most = Math.max(most, ++running)
      await new Promise((done) => setTimeout(done, 120))
      running -= 1
      return []
    },
  })
  const ask = () => {
    const tokenHash = hashOf(createToken('ses'))
    return lookUp({ kind: 'session', ip: '10.0.0.2', tokenHash, find: async () => null }).catch(() => 429)
  }
  await ask()
  const waves: Promise<unknown>[] = []
  for (let n = 0; n < 5; n++) {
    waves.push(ask())
    await new Promise((done) => setTimeout(done, 60))
  }
  expect(new Set(await Promise.all(waves))).toEqual(new Set([429]))
  expect(most).toBe(1)
})
