import { randomBytes } from 'node:crypto'
import { DetailedError, Upload } from 'tus-js-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { release } from '../../../contract/updates/releases'
import type { TestApi } from '../../../tests/support/api'
import { freePort } from '../../../tests/support/free-port'
import type { Person } from '../../../tests/support/people'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { createStoringApi, runsEveryCase } from '../../../tests/support/stores'
import { buildApi } from '../../api'

let api: TestApi
let other: ReturnType<typeof buildApi>
let otherUrl: string
let ines: Person
let maker: Awaited<ReturnType<typeof createReleaseFixture>>

beforeAll(async () => {
  // The ports must be known before the API is built: it accepts only its own host name.
  const [first, second] = [await freePort(), await freePort()]
  api = await createStoringApi({ TEASEL_API_PORT: String(first) })
  await api.app.listen({ port: first, host: '127.0.0.1' })
  otherUrl = `http://127.0.0.1:${second}`
  const urls = { ...api.config.urls, api: otherUrl }
  other = buildApi({ ...api.deps, config: { ...api.config, urls, ports: { ...api.config.ports, api: second } } })
  await other.listen({ port: second, host: '127.0.0.1' })
  ines = await api.person()
  maker = await createReleaseFixture(api, ines, await api.project({ ownerId: ines.id }))
})
afterAll(async () => {
  await other.close()
  await api.close()
})

type Options = ConstructorParameters<typeof Upload>[1]

const client = (bytes: Buffer, targetId: string, options: Options = {}) =>
  new Promise<Upload>((resolve, reject) => {
    const upload = new Upload(bytes, {
      endpoint: `${api.config.urls.api}/uploads`,
      headers: { 'X-Session-Token': ines.token },
      metadata: { filename: 'app.bin', purpose: 'release_asset', target_id: targetId },
      retryDelays: null,
      onError: reject,
      onSuccess: () => resolve(upload),
      ...options,
    })
    upload.start()
  })

it('a client of the protocol uploads in one piece and in many', async () => {
  const bytes = randomBytes(3_000_000)
  for (const [version, chunkSize] of [
    [1, Infinity],
    [2, runsEveryCase() ? 700_000 : 1_500_000],
  ] as const) {
    const { assetId, releaseId } = await maker.draft({ version, bytes })
    await client(bytes, assetId, { chunkSize })
    const { body } = await api.call(release, { releaseId }, { as: ines })
    expect(body.assets[0]?.state).toBe('ready')
  }
})

it('F-11: a client can continue an upload at another API host', async () => {
  const bytes = randomBytes(3_000_000)
  const { assetId, releaseId } = await maker.draft({ version: 3, bytes })
  const begun = await new Promise<Upload>((resolve) => {
    const upload: Upload = new Upload(bytes, {
      endpoint: `${api.config.urls.api}/uploads`,
      headers: { 'X-Session-Token': ines.token },
      metadata: { filename: 'app.bin', purpose: 'release_asset', target_id: assetId },
      chunkSize: 1_000_000,
      onChunkComplete: () => void upload.abort().then(() => resolve(upload)),
    })
    upload.start()
  })
  let first = -1
  const onProgress = (sent: number) => void (first = first < 0 ? sent : first)
  const uploadUrl = begun.url?.replace(api.config.urls.api, otherUrl) ?? null
  await client(bytes, assetId, { uploadUrl, onProgress })
  expect(first).toBeGreaterThanOrEqual(1_000_000)
  const { body } = await api.call(release, { releaseId }, { as: ines })
  expect(body.assets[0]?.state).toBe('ready')
})

it.runIf(runsEveryCase())('gets the reason of a refusal in the common error shape', async () => {
  const stranger = await api.person()
  const { assetId } = await maker.draft({ version: 4, bytes: randomBytes(10) })
  const refused = client(randomBytes(10), assetId, { headers: { 'X-Session-Token': stranger.token } })
  const error = await refused.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(DetailedError)
  const response = error instanceof DetailedError ? error.originalResponse : null
  expect([response?.getStatus(), JSON.parse(response?.getBody() ?? '{}').error.code]).toEqual([404, 'not_found'])
})
