import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectAuditLog } from '../../../contract/accounts/audit'
import { checkIn } from '../../../contract/device/endpoints'
import { revokeBundle } from '../../../contract/updates/secure-boot/bundles'
import * as contract from '../../../contract/updates/secure-boot/fuse-plan'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { createBundleFixture } from '../../../tests/support/bundle-fixture'
import { checkInBody } from '../../../tests/support/devices'
import { freePort } from '../../../tests/support/free-port'
import type { Person } from '../../../tests/support/people'
import { createTestObjects } from '../../../tests/support/test-objects'

const run = promisify(execFile)
let api: TestApi
let ines: Person
let directory: string
beforeAll(async () => {
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  await api.app.listen({ port, host: '127.0.0.1' })
  ines = await api.person()
  directory = await mkdtemp(join(tmpdir(), 'teasel-bundle-'))
})
afterAll(async () => {
  await api.close()
  await rm(directory, { recursive: true })
})

const model = 'gw-imx8m'
const newProject = async (name: string) => {
  const projectId = await api.project({ ownerId: ines.id }, name)
  return { projectId, make: createBundleFixture(api, ines, projectId) }
}
const linkOf = async (bundleId: string) => api.call(contract.bundleLink, { bundleId }, { as: ines })
const downloadsOf = async (projectId: string) => {
  const { body } = await api.call(projectAuditLog, { projectId }, { as: ines, query: {} })
  return body.entries.filter(({ action }) => action === 'bundle.download').map(({ reason }) => reason)
}

it('a bundle is downloaded as a tar file with its manifest and hashes, and resumed after an abort', async () => {
  const { projectId, make } = await newProject('Tar')
  const { id } = await make.create({ name: 'Gateway', version: 7 })
  const image = randomBytes(700_001)
  const long = `${'ä'.repeat(120)}.dtb`
  await make.upload(id, 'fit_image', 'image.itb', image)
  await make.upload(id, 'device_tree', long, Buffer.from('a device tree'))
  const { url } = (await linkOf(id)).body
  const whole = await fetch(url)
  expect(whole.status).toBe(200)
  expect(whole.headers.get('content-disposition')).toContain('Gateway-v7.tar')
  const bytes = Buffer.from(await whole.arrayBuffer())
  expect(Number(whole.headers.get('content-length'))).toBe(bytes.length)

  const path = join(directory, 'bundle.tar')
  await writeFile(path, bytes)
  await run('tar', ['-xf', path, '-C', directory])
  const manifest = JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8'))
  expect(manifest).toMatchObject({ name: 'Gateway', version: 7, platform: 'u-boot-fit' })
  expect(manifest.files.map(({ path: file }: { path: string }) => file)).toEqual(['files/image.itb', `files/${long}`])
  for (const { path: file, sha256, size } of manifest.files) {
    const stored = await readFile(join(directory, file))
    expect([stored.length, createHash('sha256').update(stored).digest('hex')]).toEqual([size, sha256])
  }

  // Aborted in the middle, then continued from what arrived.
  const stop = new AbortController()
  const cut = await fetch(url, { signal: stop.signal })
  const reader = cut.body?.getReader()
  const first = Buffer.from((await reader?.read())?.value ?? [])
  stop.abort()
  expect(first.length).toBeLessThan(bytes.length)
  const headers = { range: `bytes=${first.length}-`, 'if-range': cut.headers.get('etag') ?? '' }
  const rest = await fetch(url, { headers })
  expect(rest.status).toBe(206)
  expect(Buffer.concat([first, Buffer.from(await rest.arrayBuffer())]).equals(bytes)).toBe(true)
  const beyond = await fetch(url, { headers: { range: `bytes=${bytes.length}-` } })
  expect(beyond.status).toBe(416)

  // A changed bundle is another file: the whole of it is sent.
  await make.addFile(id, 'config', 'config.txt', 4)
  const changed = await fetch(url, { headers })
  expect(changed.status).toBe(200)
  await changed.arrayBuffer()
  expect(await downloadsOf(projectId)).toHaveLength(1)
})

it('every range of a download has the bytes of the whole', async () => {
  const { make } = await newProject('Ranges')
  const { id } = await make.create()
  await make.upload(id, 'fit_image', 'a', Buffer.from('aaaaa'))
  await make.upload(id, 'device_tree', 'b', randomBytes(512))
  const { url } = (await linkOf(id)).body
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
  for (let start = 0; start < bytes.length; start += 211) {
    const end = Math.min(start + 700, bytes.length - 1)
    const part = await fetch(url, { headers: { range: `bytes=${start}-${end}` } })
    expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end}/${bytes.length}`)
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(start, end + 1))).toBe(true)
  }
})

it('a link ends, is for one bundle, and damaged bytes are never sent to the end', async () => {
  const { make } = await newProject('Links')
  const one = await make.ready()
  const { url } = (await linkOf(one.id)).body
  const other = await make.create({ version: 2 })
  expect((await fetch(url.replace(one.id, other.id))).status).toBe(404)
  expect((await fetch(`${url.slice(0, -3)}AAA`)).status).toBe(404)
  const { rows } = await api.db.execute<{ key: string; size: number }>(
    `select storage_key as key, size::int from bundle_artifacts where bundle_id = '${one.id}' order by id limit 1`,
  )
  await api.deps.storage.write(rows[0]?.key ?? '', Readable.from([Buffer.alloc(rows[0]?.size ?? 0, 1)]))
  await expect((async () => (await fetch(url)).arrayBuffer())()).rejects.toThrow()
  api.advance(901)
  expect((await fetch(url)).status).toBe(404)
})

it('the plan is for a device of the models or a blank part, and its script needs the typed name and is audited', async () => {
  const { projectId, make } = await newProject('Plans')
  const bundle = await make.ready({ name: 'Gateway boot', hardware_models: [model], rollback_version: 1 })
  const device = await createTestObjects(api.deps).device(projectId)
  const params = { bundleId: bundle.id }
  const plan = (query: Record<string, string>) => api.call(contract.fusePlan, params, { as: ines, query })
  expect((await plan({})).error.details[0]).toMatchObject({ field: 'device_id', code: 'required' })
  expect((await plan({ device_id: device.id, assume: 'blank' })).status).toBe(422)
  expect((await plan({ device_id: '01K00000000000000000000009' })).error.details[0]).toMatchObject({ code: 'not_listed' })
  const blank = await plan({ assume: 'blank' })
  expect(blank.status, blank.text).toBe(200)
  expect(blank.body.plan.map(({ n }) => n)).toEqual(blank.body.plan.map((_, at) => at + 1))
  const secure_boot = { state: 'enforcing' as const, rollback_version: 5, bundle_id: bundle.id }
  await api.call(checkIn, {}, { as: device.token, body: checkInBody({ secure_boot }) })
  const lower = await plan({ device_id: device.id })
  expect(lower.body.refusals.length).toBeGreaterThan(0)
  expect(lower.body.diff).toContainEqual(expect.objectContaining({ reported: '5', planned: '1', change: 'conflict' }))

  const script = (query: { confirm: string; device_id?: string; assume?: 'blank' }) =>
    api.call(contract.fusePlanScript, params, { as: ines, query })
  expect((await script({ confirm: 'gateway boot', assume: 'blank' })).error.details[0]).toMatchObject({ field: 'confirm' })
  expect((await script({ confirm: 'Gateway boot', device_id: device.id })).status).toBe(409)
  const written = await script({ confirm: 'Gateway boot', assume: 'blank' })
  expect(written.status, written.text).toBe(200)
  expect(written.text).toMatch(/^#!\/bin\/sh\n/)
  expect(await downloadsOf(projectId)).toEqual(['Script. For a blank part'])

  await api.call(revokeBundle, params, { as: ines, body: { reason: 'Key lost' } })
  expect((await script({ confirm: 'Gateway boot', assume: 'blank' })).error.code).toBe('revoked')
  expect((await linkOf(bundle.id)).error.code).toBe('revoked')
})
