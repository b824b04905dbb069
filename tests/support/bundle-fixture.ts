import { expect } from 'vitest'
import type { BodyOf } from '../../contract/core/endpoint'
import * as artifacts from '../../contract/updates/secure-boot/artifacts'
import * as bundles from '../../contract/updates/secure-boot/bundles'
import { type ArtifactRole, platformRules } from '../../contract/updates/secure-boot/platforms'
import { runBundleChecks } from '../../server/updates/secure-boot/run-checks'
import type { CheckBundle } from '../../server/updates/secure-boot/types'
import type { TestApi } from './api'
import type { Person } from './people'
import { uploadFile } from './upload-file'

const finding = (id: string, level: 'ok' | 'error', text: string, artifact_id: string | null) => ({
  id,
  level,
  text,
  reason: null,
  artifact_id,
  range: null,
})

/** Checks that files are there, and find nothing wrong in them. */
export const passFormats: CheckBundle = async ({ platform }, files) => ({
  checks: [
    ...platformRules[platform].required
      .filter((roles) => !files.some(({ role }) => roles.includes(role)))
      .map((roles) => finding('test.required_file', 'error', `${roles.join(' or ')} is missing`, null)),
    ...files.map(({ id, fileName }) => finding('test.format', 'ok', `${fileName} is fine`, id)),
  ],
  parsed: new Map(
    files.map(({ id }) => [
      id,
      {
        signature: null,
        certificateExpiresAt: null,
        parsed: { format: 'test', facts: [{ name: 'Magic', value: '0xd00dfeed', offset: 0 }] },
      },
    ]),
  ),
})

/** The steps of a secure boot bundle through the API. */
export const createBundleFixture = (api: TestApi, as: Person, projectId: string) => {
  const create = async (facts: Partial<NonNullable<BodyOf<typeof bundles.createBundle>>> = {}) => {
    const body = { name: 'Gateway boot', version: 1, platform: 'u-boot-fit' as const, hardware_models: ['gw'], ...facts }
    const made = await api.call(bundles.createBundle, { projectId }, { as, body })
    expect(made.status, made.text).toBe(201)
    return made.body
  }
  const addFile = async (bundleId: string, role: ArtifactRole, file_name: string, size: number) => {
    const made = await api.call(artifacts.createArtifact, { bundleId }, { as, body: { role, file_name, size } })
    expect(made.status, made.text).toBe(201)
    return made.body
  }
  const upload = async (bundleId: string, role: ArtifactRole, name: string, bytes: Buffer) => {
    const { id } = await addFile(bundleId, role, name, bytes.length)
    await uploadFile(api, as, id, bytes, 'bundle_artifact')
    return id
  }
  const read = async (bundleId: string) => (await api.call(bundles.bundle, { bundleId }, { as })).body
  const check = async (bundleId: string, formats: CheckBundle = passFormats) => {
    const started = await api.call(bundles.checkBundle, { bundleId }, { as })
    expect(started.status, started.text).toBe(202)
    await runBundleChecks(api.deps, formats)
    return read(bundleId)
  }
  /** A bundle with both files that its platform requires, checked. */
  const ready = async (facts: Parameters<typeof create>[0] = {}) => {
    const { id } = await create(facts)
    await upload(id, 'fit_image', 'image.itb', Buffer.from(`FIT of ${id}`))
    await upload(id, 'device_tree', 'u-boot.dtb', Buffer.from(`DTB of ${id}`))
    const checked = await check(id)
    expect(checked.state).toBe('ready')
    return checked
  }
  return { create, addFile, upload, read, check, ready }
}
