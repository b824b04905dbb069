import { type Release, release, releases } from '../../contract/updates/releases'
import type { Context } from '../core/context'
import { Failed } from '../core/errors'
import { isId } from '../core/ids'
import { readPages } from '../core/pages'

type Filter = { hardware_model?: string; state?: Release['state']; type?: Release['type']; q?: string; sort?: string }

export const listReleases = async ({ api, projectId }: Context, filter: Filter, limit: number): Promise<Release[]> => {
  const params = { projectId: await projectId() }
  return readPages(limit, async (page) => {
    const answer = await api.call(releases, params, { query: { ...filter, ...page } })
    return { items: answer.releases, next: answer.next_cursor }
  })
}

/** The releases with a version number; versions only rise within a hardware model. */
export const findReleasesOfVersion = async (context: Context, version: number, model?: string): Promise<Release[]> => {
  const all = await listReleases(context, model === undefined ? {} : { hardware_model: model }, Number.POSITIVE_INFINITY)
  return all.filter((one) => one.version === version)
}

/** A release by its id or its version number. */
export const getRelease = async (context: Context, named: string): Promise<Release> => {
  if (isId(named)) return context.api.call(release, { releaseId: named })
  if (!/^\d{1,15}$/.test(named)) throw new Failed(`${named} is neither the id nor the version number of a release`)
  const [found, ...others] = await findReleasesOfVersion(context, Number(named))
  if (!found) throw new Failed(`This project has no release with the version ${named}`)
  if (others.length === 0) return found
  const ids = [found, ...others].map(({ id, hardware_models: models }) => `${id} (${models.join(', ')})`)
  throw new Failed(`Several releases have the version ${named}. Name one by its id: ${ids.join(', ')}`)
}
