import { type ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { softwareDescription, swuArchive } from '../../contract/ddi/bundle.fixture'
import { releaseSboms, sbomLimits } from '../../contract/updates/components'
import { importDevices } from '../../contract/fleet/device-imports'
import { checkIn, updateEvents } from '../../contract/device/endpoints'
import { type Endpoint, pathOf } from '../../contract/core/endpoint'
import { createProjectInvites } from '../../contract/accounts/invites'
import { updateProject } from '../../contract/accounts/project-changes'
import { createAsset } from '../../contract/updates/release-assets'
import { finalizeRelease } from '../../contract/updates/release-signing'
import { createRelease } from '../../contract/updates/releases'
import { createSession } from '../../contract/accounts/sessions'
import { bundle, checkBundle, createBundle } from '../../contract/updates/secure-boot/bundles'
import { createArtifact } from '../../contract/updates/secure-boot/artifacts'
import { authorization, createTestApi, type TestApi } from '../support/api'
import { newDevice } from '../support/new-device'
import { isFull } from '../support/counts'
import { startOthers } from '../support/others-at-work'
import type { Person } from '../support/people'
import { startApiProcess } from '../support/start-api-process'
import { call } from '../e2e/support/call'
import { within } from '../support/machine-load'

// What stops the API for everybody: one file, or one request. Whatever is added here runs while others work.

let api: TestApi
let ines: Person
let host: { child: ChildProcess; port: number }
let origin: string
let projectId: string
let devices: string[]
beforeAll(async () => {
  api = await createTestApi()
  // The other process has the real time.
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  ines = await api.person()
  projectId = await api.project({ ownerId: ines.id })
  devices = []
  for (let n = 0; n < 50; n++) devices.push((await newDevice(api, projectId)).token)
  const many = Object.fromEntries(['REQUESTS', 'DEVICE_REQUESTS'].map((of) => [`TEASEL_LIMIT_${of}_PER_MINUTE`, '1000000']))
  host = await startApiProcess(api, { TEASEL_TEST_JOBS: '1', ...many }, true)
  origin = `http://127.0.0.1:${host.port}`
})
afterAll(async () => {
  host.child.kill()
  await api.close()
})

const upload = async (targetId: string, bytes: Buffer, purpose = 'release_asset') => {
  const encode = (text: string) => Buffer.from(text).toString('base64')
  const headers = { ...authorization(ines), 'tus-resumable': '1.0.0' }
  const metadata = `filename ${encode('file')},purpose ${encode(purpose)},target_id ${encode(targetId)}`
  const created = await fetch(`${origin}/uploads`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(bytes.length), 'upload-metadata': metadata },
  })
  expect(created.status, await created.text()).toBe(201)
  const location = new URL(created.headers.get('location') ?? '', origin)
  const sent = await fetch(`${origin}${location.pathname}`, {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(bytes),
  })
  return { status: sent.status, text: await sent.text() }
}
const as = () => ({ as: ines.token })

let version = 0
const releaseWith = async (type: 'file' | 'bundle', kind: 'sbom' | 'bundle', name: string, bytes: Buffer) => {
  version += 1
  const body = { name: `Release ${version}`, version, type, hardware_models: ['gw'], display_version: `1.${version}` }
  const { id: releaseId } = (await call(origin, createRelease, { projectId }, { ...as(), body })).body
  const file = { name, kind, size: bytes.length }
  const asset = (await call(origin, createAsset, { releaseId }, { ...as(), body: file })).body
  expect((await upload(asset.id, bytes)).status).toBe(204)
  return releaseId
}

const readSbom = async (bytes: Buffer, expected: object) => {
  const releaseId = await releaseWith('file', 'sbom', 'bom.json', bytes)
  const sboms = async () => (await call(origin, releaseSboms, { releaseId }, as())).body.sboms
  await expect.poll(async () => (await sboms())[0]?.state, { timeout: within(240_000) }).not.toBe('waiting')
  expect((await sboms())[0]).toMatchObject(expected)
}
/** A CycloneDX file of the largest size whose components end with as many of these items as fit. */
const sbomOf = (start: string, item: string, end: string) => {
  const head = `{"bomFormat":"CycloneDX","specVersion":"1.6","components":[${start}`
  const count = Math.floor((sbomLimits.bytes - head.length - item.length - end.length - 2) / (item.length + 1))
  return Buffer.from(`${head}${`${item},`.repeat(count)}${item}${end}]}`.slice(0, sbomLimits.bytes))
}
const importFile = async (text: string, type: string, expected: [status: number, code: string]) => {
  const path = importDevices.path.replace(':projectId', projectId)
  const answer = await fetch(`${origin}${path}?dry_run=true&hardware_model=gw`, {
    method: 'POST',
    headers: { ...authorization(ines), 'content-type': type },
    body: text,
  })
  const found = await answer.text()
  expect([answer.status, found.includes(expected[1])], found.slice(0, 300)).toEqual([expected[0], true])
}
const checkedBundle = async (name: string, bytes: Buffer) => {
  const facts = { name, version: 1, platform: 'u-boot-fit' as const, hardware_models: ['gw'] }
  const { id: bundleId } = (await call(origin, createBundle, { projectId }, { ...as(), body: facts })).body
  const file = { role: 'fit_image' as const, file_name: 'image.itb', size: bytes.length }
  const { id } = (await call(origin, createArtifact, { bundleId }, { ...as(), body: file })).body
  expect((await upload(id, bytes, 'bundle_artifact')).status).toBe(204)
  await call(origin, checkBundle, { bundleId }, as())
  const read = async () => (await call(origin, bundle, { bundleId }, as())).body
  await expect.poll(async () => (await read()).state, { timeout: within(240_000) }).toBe('incomplete')
  expect((await read()).checks.some(({ level }) => level === 'error')).toBe(true)
}

const mb = 1_048_576

/** Sends a body as it is to an endpoint, with a token or without one. */
const send = async ({ method, path }: Endpoint, token: string | undefined, body: string, statuses: readonly number[]) => {
  const answer = await fetch(`${origin}${pathOf(path, { projectId })}`, {
    method,
    headers: { ...authorization(token), 'content-type': 'application/json' },
    body,
  })
  const text = await answer.text()
  expect([statuses.includes(answer.status), text.length <= 16_384], `${answer.status} ${text.slice(0, 300)}`).toEqual([
    true,
    true,
  ])
}
/** A list of wrong items, and a map of wrong values, each almost as large as a body may be. */
const wrongList = `[${'{},'.repeat(mb / 3 - 2000)}{}]`
const wrongMap = `{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":[{}]`).join()}}`
const ndjson = 'application/x-ndjson'
const hostile: readonly [name: string, run: () => Promise<void>][] = [
  [
    'an SBOM of 16 MiB with millions of licences in one component',
    () =>
      readSbom(sbomOf('{"name":"a","licenses":[', '{}', ']}'), {
        state: 'refused',
        problem: { rule: 'Too many values: at most 1,000,000' },
      }),
  ],
  [
    'an SBOM of 16 MiB with hundreds of thousands of components',
    () => readSbom(sbomOf('', '{"name":"a","purl":"x","hashes":[1,2,3]}', ''), { state: 'refused' }),
  ],
  [
    'an SBOM of 16 MiB with long texts at every limit',
    () =>
      readSbom(sbomOf('', `{"name":"${'n'.repeat(300)}","version":"${'v'.repeat(250)}","publisher":"${'p'.repeat(300)}"}`, ''), {
        state: 'read',
        problem: null,
      }),
  ],
  ['an import of 8 million empty lines', () => importFile('\n'.repeat(8 * mb), ndjson, [422, 'The file has no devices'])],
  [
    'an import of one line of 8 million cells',
    () => importFile(`controller_id\n${','.repeat(8 * mb)}`, 'text/csv', [200, 'too_long']),
  ],
  ['an import of 8 MB of quotes', () => importFile(`controller_id\n${'"'.repeat(8 * mb)}`, 'text/csv', [200, 'too_long'])],
  [
    'an import of 5,000 wrong lines',
    () => importFile('{"controller_id":1,"tags":[{},{},{},{},{},{},{},{}]}\n'.repeat(5000), ndjson, [200, '"failed":5000']),
  ],
  [
    'a file of 4 MiB of beginnings of private keys',
    () => checkedBundle('Labels', Buffer.alloc(4 * mb, '-----BEGIN RSA PRIVATE KEY-----')),
  ],
  [
    'a description of SWUpdate with tens of thousands of quotes',
    async () => {
      const bytes = Buffer.from(swuArchive(`${softwareDescription('1')}${'\\"'.repeat(60_000)}`))
      const releaseId = await releaseWith('bundle', 'bundle', 'image.swu', bytes)
      const path = finalizeRelease.path.replace(':releaseId', releaseId)
      const headers = { ...authorization(ines), 'content-type': 'application/json' }
      const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body: '{}' })
      expect(answer.status, await answer.text()).toBe(422)
    },
  ],
  [
    'update events of a device that are 350,000 empty objects',
    () => send(updateEvents, devices[0], `{"events":${wrongList}}`, [413, 422]),
  ],
  ['a check-in with 60,000 wrong attributes', () => send(checkIn, devices[0], `{"attributes":${wrongMap}}`, [413, 422])],
  [
    'settings of a project with 350,000 hardware models that are empty objects',
    () => send(updateProject, ines.token, `{"settings":{"hardware_models":${wrongList}}}`, [413, 422, 428]),
  ],
  ['350,000 invites that are empty objects', () => send(createProjectInvites, ines.token, `{"emails":${wrongList}}`, [413, 422])],
  [
    'an exchange of a code that has 350,000 wrong fields, from anybody',
    () => send(createSession, undefined, wrongMap, [413, 422]),
  ],
]

/** Each kind once in `npm test`: the SBOM that costs most is the one that is read to its end. */
const played = hostile.filter(([name]) => isFull || !/^an SBOM .* with (millions|hundreds)/.test(name))

it.each(played)('while the server reads %s, its health, 50 devices and a person get every answer', async (_, run) => {
  const others = startOthers({ origin, devices, person: ines, projectId })
  await run().catch(async (error: unknown) => {
    await others.stop()
    throw error
  })
  const { failures, turns } = await others.stop()
  expect(failures).toEqual([])
  expect(Math.min(...Object.values(turns))).toBeGreaterThan(0)
})
