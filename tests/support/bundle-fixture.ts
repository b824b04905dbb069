import { expect } from 'vitest'
import type { BodyOf } from '../../contract/endpoint'
import * as artifacts from '../../contract/secure-boot/artifacts'
import * as bundles from '../../contract/secure-boot/bundles'
import type { ArtifactRole } from '../../contract/secure-boot/platforms'
import { runBundleChecks } from '../../server/updates/secure-boot/run-checks'
import type { CheckBundle } from '../../server/updates/secure-boot/types'
import type { TestApi } from './api'
import type { Person } from './people'
import { uploadFile } from './upload-file'

/** Format checks that find nothing wrong. */
export const passFormats: CheckBundle = async (_, files) => ({
  checks: files.map(({ id, fileName }) => ({
    id: 'test.format',
    level: 'ok' as const,
    text: `${fileName} is fine`,
    reason: null,
    artifact_id: id,
    range: null,
  })),
  parsed: new Map(
    files.map(({ id }) => [
      id,
      { signature: null, parsed: { format: 'test', facts: [{ name: 'Magic', value: '0xd00dfeed', offset: 0 }] } },
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
