import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verify } from '../../../contract/device/verify'
import * as releaseSigning from '../../../contract/updates/release-signing'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { directoryStorage } from '../../core/storage/directory'
import { createReleaseFixture } from '../../../tests/support/release-fixture'

let api: TestApi
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-journey-'))
  api = await createTestApi()
  api.deps.storage = directoryStorage(directory)
})
afterAll(async () => {
  await api.close()
  await rm(directory, { recursive: true, force: true })
})

it('from a draft to a signed manifest that devices accept', async () => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  const { key, signed } = await createReleaseFixture(api, ines, projectId)
  const bytes = randomBytes(100_000)
  const made = await signed({ version: 5, bytes })
  expect(made.state).toBe('ready')
  expect(made.assets[0]).toMatchObject({ state: 'ready', sha256: createHash('sha256').update(bytes).digest('hex') })
  const envelope = await api.call(releaseSigning.releaseManifest, { releaseId: made.id }, { as: ines })
  const facts = {
    projectId,
    hardwareModel: 'gw',
    installedVersion: 4,
    mayReturnTo: [],
    rollbackVersion: 0,
    now: api.deps.clock().getTime(),
  }
  const opened = await verify(JSON.parse(envelope.text), [key.publicKey], facts)
  expect(opened).toMatchObject({ ok: true, manifest: { id: made.id, version: 5 } })
})
