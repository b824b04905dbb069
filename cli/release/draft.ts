import { isEditable, type NewRelease, type Release, createRelease, release, updateRelease } from '../../contract/updates/releases'
import { type Asset, createAsset, deleteAsset, updateAsset } from '../../contract/updates/release-assets'
import type { Context } from '../core/context'
import { Failed } from '../core/errors'
import { note } from '../core/print'
import { findReleasesOfVersion } from './find'
import type { LocalFile } from './local-file'
import { uploadAsset } from './upload'

/** The facts of a release that a push names. */
export type Facts = Pick<NewRelease, 'name' | 'version' | 'type' | 'hardware_models'> &
  Partial<Pick<NewRelease, 'display_version' | 'description' | 'notes' | 'min_installed_version' | 'reboot'>>

const text = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : (value ?? null))

/** The named facts that differ from those of the release. */
const changesOf = (facts: Facts, found: Release): Partial<Facts> =>
  Object.fromEntries(
    Object.entries(facts).filter(([name, value]) => text(value) !== text(found[name as keyof Facts])),
  ) as Partial<Facts>

const alwaysEditable: readonly string[] = ['description', 'notes']

/** What to do about a release that a push contradicts. */
export const wayOn = ({ state, version }: Release): string =>
  state === 'awaiting_signature'
    ? `Push another version, or make it a draft again with: teasel release reopen ${version}`
    : 'Push another version'

const applyFacts = async ({ api }: Context, facts: Facts, found: Release): Promise<Release> => {
  const changes = changesOf(facts, found)
  const names = Object.keys(changes)
  if (names.length === 0) return found
  const fixed = isEditable(found.state) ? [] : names.filter((name) => !alwaysEditable.includes(name))
  if (fixed.length > 0)
    throw new Failed(
      `The release ${found.version} is ${found.state.replaceAll('_', ' ')} with another ${fixed.join(', ')}. ${wayOn(found)}`,
    )
  note(`Changes ${names.join(', ')} of the release ${found.version}`)
  return api.call(updateRelease, { releaseId: found.id }, { ifMatch: found.revision, body: changes })
}

/** The release with this version: the one that exists, or a new draft. */
export const openRelease = async (context: Context, facts: Facts): Promise<Release> => {
  const [found] = await findReleasesOfVersion(context, facts.version, facts.hardware_models[0])
  if (!found) {
    const made = await context.api.call(createRelease, { projectId: await context.projectId() }, { body: facts })
    note(`Created the draft ${made.name}, version ${made.version} (${made.id})`)
    return made
  }
  if (found.state === 'revoked' || found.state === 'archived') throw new Failed(`The release ${found.version} is ${found.state}`)
  return applyFacts(context, facts, found)
}

const isSameBytes = (asset: Asset, file: LocalFile) =>
  asset.size === file.size && (asset.sha256 === null || asset.sha256 === file.sha256)

const alien = (found: Release, files: readonly LocalFile[]) =>
  found.assets.find((asset) => !files.some(({ name }) => name === asset.name))

/** What of the files differs from those of a release whose manifest is built; undefined if nothing does. */
export const differenceOf = (found: Release, files: readonly LocalFile[]): string | undefined => {
  const more = alien(found, files)
  if (more) return `it has a file more, ${more.name}`
  for (const file of files) {
    const asset = found.assets.find(({ name }) => name === file.name)
    if (!asset) return `it has no file ${file.name}`
    if (!isSameBytes(asset, file)) return `its ${file.name} has other bytes`
    if (asset.kind !== file.kind || (asset.install_location ?? null) !== file.install_location)
      return `its ${file.name} is ${asset.kind} for ${asset.install_location ?? 'no path'}`
    if (file.mode !== null && asset.mode !== file.mode) return `its ${file.name} has the mode ${asset.mode ?? 'of none'}`
  }
  return undefined
}

const placeOf = ({ kind, install_location, mode }: LocalFile) => ({
  kind,
  install_location,
  ...(mode !== null && { mode }),
})

/** The asset of a file in the draft. One with other bytes is replaced: nothing of a draft is signed. */
const openAsset = async ({ api }: Context, found: Release, file: LocalFile): Promise<Asset> => {
  const releaseId = found.id
  const there = found.assets.find(({ name }) => name === file.name)
  if (there && isSameBytes(there, file)) {
    const isSame = Object.entries(placeOf(file)).every(([name, value]) => there[name as keyof Asset] === value)
    if (isSame) return there
    return api.call(updateAsset, { releaseId, assetId: there.id }, { ifMatch: there.revision, body: placeOf(file) })
  }
  if (there) {
    note(`${file.name} has changed since it was uploaded, and replaces it`)
    await api.call(deleteAsset, { releaseId, assetId: there.id })
  }
  const mode = file.kind === 'payload' ? { mode: file.usualMode } : {}
  const body = { name: file.name, size: file.size, sha256: file.sha256, ...mode, ...placeOf(file) }
  return api.call(createAsset, { releaseId }, { body })
}

/** Brings every file into a draft; what is there already is not sent again. */
export const fillDraft = async (context: Context, found: Release, files: readonly LocalFile[]): Promise<Release> => {
  const more = alien(found, files)
  if (more)
    throw new Failed(`The draft ${found.version} has another file, ${more.name}. Push it too, or remove it in the console`)
  for (const file of files) {
    const asset = await openAsset(context, found, file)
    if (asset.state !== 'ready') await uploadAsset(context.api, file, asset.id)
  }
  const filled = await context.api.call(release, { releaseId: found.id })
  const rejected = filled.assets.find(({ state }) => state === 'rejected')
  if (rejected) throw new Failed(`${rejected.name} was rejected: ${rejected.reject_reason ?? 'unknown reason'}`)
  return filled
}
