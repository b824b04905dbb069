import { createPersonalProject } from '../../../contract/projects'
import { createRelease, release } from '../../../contract/releases'
import type { Page } from './browser'
import { call } from './call'
import type { Hosts, Visitor } from './hosts'

export type Draft = { projectId: string; releaseId: string; url: string }

/** A personal project with a draft that takes files, and the address of its files. */
export const draftOf = async ({ api, console }: Hosts, { token }: Visitor): Promise<Draft> => {
  const project = await call(api, createPersonalProject, {}, { as: token, body: { name: 'Orchard' } })
  const projectId = project.body.id
  const facts = { name: 'Firmware', version: 1, type: 'file' as const, hardware_models: ['gw'] }
  const made = await call(api, createRelease, { projectId }, { as: token, body: facts })
  const releaseId = made.body.id
  return { projectId, releaseId, url: `${console}/organizations/none/projects/${projectId}/releases/list/${releaseId}/assets` }
}

/** The files of the draft, as the server has them: name and state. */
export const assetsOf = async ({ api }: Hosts, { token }: Visitor, { releaseId }: Draft): Promise<Record<string, string>> => {
  const { body } = await call(api, release, { releaseId }, { as: token })
  return Object.fromEntries(body.assets.map(({ name, state }) => [name, state]))
}

export const fileOf = (name: string, bytes = 20_000) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.alloc(bytes, name),
})

type Files = Parameters<ReturnType<Page['getByLabel']>['setInputFiles']>[0]
/** Gives files to the page of a draft's files. */
export const addFiles = (page: Page, files: Files) => page.getByLabel('Add files').setInputFiles(files)
