import { createPersonalProject } from '../../../contract/accounts/project-changes'
import { createAsset } from '../../../contract/updates/release-assets'
import { createRelease, release } from '../../../contract/updates/releases'
import { createUpload, deleteUpload, uploads } from '../../../contract/updates/uploads'
import type { Page } from './browser'
import { call } from './call'
import type { Hosts, Visitor } from './hosts'

export type Draft = { projectId: string; releaseId: string; url: string }

export const projectOf = async ({ api }: Hosts, { token }: Visitor): Promise<string> =>
  (await call(api, createPersonalProject, {}, { as: token, body: { name: 'Orchard' } })).body.id

let version = 0
/** A draft that accepts files, in a new project unless one is given, and the URL of its files. */
export const draftOf = async (hosts: Hosts, person: Visitor, known?: string): Promise<Draft> => {
  const projectId = known ?? (await projectOf(hosts, person))
  version += 1
  const facts = { name: 'Firmware', version, type: 'file' as const, hardware_models: ['gw'] }
  const { body } = await call(hosts.api, createRelease, { projectId }, { as: person.token, body: facts })
  const releaseId = body.id
  const list = `${hosts.console}/organizations/none/projects/${projectId}/releases/list`
  return { projectId, releaseId, url: `${list}/${releaseId}/assets` }
}

/** The files of the draft at the server: name and state. */
export const assetsOf = async ({ api }: Hosts, { token }: Visitor, { releaseId }: Draft): Promise<Record<string, string>> => {
  const { body } = await call(api, release, { releaseId }, { as: token })
  return Object.fromEntries(body.assets.map(({ name, state }) => [name, state]))
}

const tus = { 'tus-resumable': '1.0.0' }
const base64 = (text: string) => Buffer.from(text).toString('base64')

type Target = { assetId: string; name: string; size: number }

/** An upload of a known file that this person started elsewhere, without a byte sent. */
export const beginUploadOf = async ({ api }: Hosts, { token }: Visitor, { assetId, name, size }: Target): Promise<void> => {
  const metadata = { filename: name, purpose: 'release_asset', target_id: assetId }
  const headers = {
    ...tus,
    'upload-length': String(size),
    'upload-metadata': Object.entries(metadata)
      .map(([key, value]) => `${key} ${base64(value)}`)
      .join(','),
  }
  await call(api, createUpload, {}, { as: token, headers })
}

/** An upload that this person started elsewhere, without a byte sent. */
export const beginUpload = async (hosts: Hosts, person: Visitor, { releaseId }: Draft, name: string): Promise<void> => {
  const facts = { name, kind: 'payload' as const, size: 100, install_location: `/opt/${name}`, mode: '0644' }
  const asset = await call(hosts.api, createAsset, { releaseId }, { as: person.token, body: facts })
  await beginUploadOf(hosts, person, { assetId: asset.body.id, name, size: 100 })
}

/** Ends this person's unfinished uploads, so that no later page offers them. */
export const endUploads = async ({ api }: Hosts, { token }: Visitor): Promise<void> => {
  const { body } = await call(api, uploads, {}, { as: token })
  const open = body.uploads.filter(({ state }) => state === 'open')
  await Promise.all(open.map(({ id }) => call(api, deleteUpload, { uploadId: id }, { as: token, headers: tus })))
}

export const fileOf = (name: string, bytes = 20_000) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.alloc(bytes, name),
})

type Files = Parameters<ReturnType<Page['getByLabel']>['setInputFiles']>[0]
/** Selects files on a draft's assets page. */
export const addFiles = (page: Page, files: Files) => page.getByLabel('Add files').setInputFiles(files)
