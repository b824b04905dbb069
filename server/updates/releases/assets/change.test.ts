import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectAuditLog } from '../../../../contract/accounts/audit'
import { createAsset, updateAsset } from '../../../../contract/updates/release-assets'
import * as releaseSigning from '../../../../contract/updates/release-signing'
import { release, updateRelease } from '../../../../contract/updates/releases'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import type { Person } from '../../../../tests/support/people'
import { createReleaseFixture } from '../../../../tests/support/release-fixture'
import { uploadFile } from '../../../../tests/support/upload-file'

let api: TestApi
let ines: Person
let projectId: string
let maker: Awaited<ReturnType<typeof createReleaseFixture>>
let version = 0
beforeAll(async () => {
  api = await createTestApi()
  ines = await api.person()
  projectId = await api.project({ ownerId: ines.id })
  maker = await createReleaseFixture(api, ines, projectId)
})
afterAll(() => api.close())

/** A draft with an uploaded payload and an uploaded script. */
const draftWithScript = async () => {
  version += 1
  const { releaseId, assetId } = await maker.filled({ version, bytes: randomBytes(64) })
  const script = Buffer.from('#!/bin/sh\nexit 0\n')
  const body = { name: 'check.sh', kind: 'payload' as const, size: script.length, install_location: '/opt/check.sh' }
  const made = await api.call(createAsset, { releaseId }, { as: ines, body })
  expect(made.status, made.text).toBe(201)
  await uploadFile(api, ines, made.body.id, script)
  return { releaseId, payloadId: assetId, scriptId: made.body.id }
}
const ifMatch = (revision: number) => ({ 'if-match': `"${revision}"` })
const read = async (releaseId: string) => (await api.call(release, { releaseId }, { as: ines })).body
const revisionOf = async (releaseId: string, assetId: string) =>
  (await read(releaseId)).assets.find(({ id }) => id === assetId)?.revision ?? 0

type Body = NonNullable<Parameters<typeof change>[2]>
const change = async (
  releaseId: string,
  assetId: string,
  body: { kind?: 'hook' | 'payload'; install_location?: string | null; mode?: string | null },
) => api.call(updateAsset, { releaseId, assetId }, { as: ines, body, headers: ifMatch(await revisionOf(releaseId, assetId)) })

it('kind, install location and mode of a file of a draft change, are recorded, and stand in the manifest', async () => {
  const { releaseId, scriptId, payloadId } = await draftWithScript()
  const hook: Body = { kind: 'hook', install_location: null, mode: '0750' }
  const changed = await change(releaseId, scriptId, hook)
  expect(changed.status, changed.text).toBe(200)
  expect(changed.body).toMatchObject(hook)
  expect((await change(releaseId, payloadId, { install_location: '/srv/app.bin' })).status).toBe(200)
  const { revision } = await read(releaseId)
  const hooks = { pre_install: scriptId }
  expect((await api.call(updateRelease, { releaseId }, { as: ines, body: { hooks }, headers: ifMatch(revision) })).status).toBe(
    200,
  )
  const final = await api.call(releaseSigning.finalizeRelease, { releaseId }, { as: ines, body: {} })
  expect(final.status, final.text).toBe(200)
  const manifest = JSON.parse(Buffer.from(final.body.to_sign.payload_base64, 'base64').toString())
  const script = manifest.files.find(({ name }: { name: string }) => name === 'check.sh')
  expect(script).toMatchObject({ kind: 'hook', install_location: null, mode: '0750' })
  expect(manifest.hooks.pre_install).toBe(script.sha256)
  expect(manifest.files.map((file: { install_location: string | null }) => file.install_location)).toContain('/srv/app.bin')
  const { entries } = (await api.call(projectAuditLog, { projectId }, { as: ines, query: { action: 'asset.update' } })).body
  expect(entries.at(-1)?.changes).toEqual([
    { field: 'kind', before: 'payload', after: 'hook' },
    { field: 'install_location', before: '/opt/check.sh', after: null },
    { field: 'mode', before: '0755', after: '0750' },
  ])
})

it('a payload for which nobody has chosen a mode gets it by its first bytes when its upload is complete: scripts and programs can be run', async () => {
  version += 1
  const { releaseId } = await maker.draft({ version, bytes: randomBytes(64) })
  const program = Buffer.alloc(64)
  program.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
  program.writeUInt16LE(2, 16)
  const add = async (name: string, bytes: Buffer, mode?: string) => {
    const body = { name, kind: 'payload' as const, size: bytes.length, install_location: `/opt/${name}`, ...(mode && { mode }) }
    const made = await api.call(createAsset, { releaseId }, { as: ines, body })
    expect(made.status, made.text).toBe(201)
    expect(made.body.mode).toBe(mode ?? null)
    return made.body.id
  }
  const script = Buffer.from('#!/bin/sh\n')
  const files = [
    { name: 'start.sh', bytes: script, then: '0755' },
    { name: 'gateway', bytes: program, then: '0755' },
    { name: 'one', bytes: Buffer.from('1'), then: '0644' },
    { name: 'asked.sh', bytes: script, mode: '0700', then: '0700' },
    { name: 'changed.sh', bytes: script, change: '0640', then: '0640' },
  ]
  for (const { name, bytes, mode, change: chosen } of files) {
    const id = await add(name, bytes, mode)
    if (chosen !== undefined) expect((await change(releaseId, id, { mode: chosen })).status).toBe(200)
    await uploadFile(api, ines, id, bytes)
  }
  const modes = new Map((await read(releaseId)).assets.map(({ name, mode }) => [name, mode]))
  expect(files.map(({ name }) => [name, modes.get(name)])).toEqual(files.map(({ name, then }) => [name, then]))
})

it('a hook that becomes another kind of file is no hook of the release any more', async () => {
  const { releaseId, scriptId } = await draftWithScript()
  await change(releaseId, scriptId, { kind: 'hook', install_location: null })
  const { revision } = await read(releaseId)
  const hooks = { pre_install: scriptId, post_reboot: scriptId }
  await api.call(updateRelease, { releaseId }, { as: ines, body: { hooks }, headers: ifMatch(revision) })
  // Another mode keeps the hook.
  await change(releaseId, scriptId, { mode: '0700' })
  expect((await read(releaseId)).hooks).toEqual({ pre_install: scriptId, post_install: null, post_reboot: scriptId })
  await change(releaseId, scriptId, { kind: 'payload', install_location: '/opt/check.sh' })
  expect((await read(releaseId)).hooks).toEqual({ pre_install: null, post_install: null, post_reboot: null })
})

it('a change is refused with a wrong path or mode, with an old revision, and once the manifest is built', async () => {
  const { releaseId, scriptId } = await draftWithScript()
  const wrong = await change(releaseId, scriptId, { install_location: '/opt/../etc/passwd', mode: '999' })
  expect([wrong.status, wrong.error.details.map(({ field }) => field)]).toEqual([422, ['install_location', 'mode']])
  const old = await revisionOf(releaseId, scriptId)
  expect((await change(releaseId, scriptId, { mode: '0600' })).status).toBe(200)
  const stale = await api.call(
    updateAsset,
    { releaseId, assetId: scriptId },
    { as: ines, body: { mode: '0644' }, headers: ifMatch(old) },
  )
  expect([stale.status, stale.error.code]).toEqual([412, 'stale_revision'])
  expect((await api.call(releaseSigning.finalizeRelease, { releaseId }, { as: ines, body: {} })).status).toBe(200)
  const late = await change(releaseId, scriptId, { mode: '0644' })
  expect([late.status, late.error.code]).toEqual([409, 'not_a_draft'])
})
