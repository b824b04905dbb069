import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createDdiScene, type DdiScene } from '../../tests/support/ddi/scene'

let api: TestApi
let scene: DdiScene
beforeAll(async () => {
  api = await createTestApi()
  scene = await createDdiScene(api)
})
afterAll(() => api.close())

/** The statements that this process sends during `work`. */
const statementsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
  const texts: string[] = []
  const { query } = Client.prototype as unknown as Record<'query', (this: Client, ...args: unknown[]) => unknown>
  const noting = function (this: Client, ...args: unknown[]) {
    const [first] = args
    texts.push(typeof first === 'string' ? first : ((first as { text?: string }).text ?? ''))
    return query.apply(this, args)
  }
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(noting as never)
  await work().finally(() => spy.mockRestore())
  return texts
}

it('a poll without work by a gateway token reads with two statements, one of them to look up the token, and writes nothing', async () => {
  const [device] = await scene.join(1)
  await device?.put({ sw_version: '1.0.0' })
  await device?.poll()
  const texts = await statementsOf(async () => device?.poll())
  expect(texts, texts.join('\n')).toHaveLength(2)
  for (const text of texts) expect(text).toMatch(/^select /)
})

it('the second of two ranges of one file asks neither for the token nor for the action again', async () => {
  const [device] = await scene.join(1)
  if (!device) throw new Error('no device')
  const release = await scene.release(randomBytes(50_000))
  await scene.start(release.id, [device])
  const { action } = await device.poll()
  const range = (from: number) => () =>
    device.call(`softwaremodules/${action}/artifacts/app.bin`, { headers: { range: `bytes=${from}-${from + 999}` } })
  const looksUp = (text: string) => /from "(?:enrollment|device)_tokens"|from "assets"/.test(text)
  expect((await statementsOf(range(1000))).some(looksUp)).toBe(true)
  expect((await statementsOf(range(2000))).filter(looksUp)).toEqual([])
})
