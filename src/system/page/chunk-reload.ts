import { type ActorRefFrom, createActor } from 'xstate'
import { chunkReloadMachine } from '../../../machines/chunk-reload/chunk-reload.machine'
import { actorOptions } from '../inspection'
import { missing } from './lazy'

export type ChunkReload = ActorRefFrom<typeof chunkReloadMachine>

const reloadedKey = 'reloaded_build'

export const createChunkReload = (page: Window, build: string): ChunkReload => {
  const actor = createActor(chunkReloadMachine, { input: { reloaded: reloadedBuild(page) === build }, ...actorOptions })
  page.addEventListener(missing, () => actor.send({ type: 'chunk.missing' }))
  return actor
}

const reloadedBuild = (page: Window) => {
  try {
    return page.sessionStorage.getItem(reloadedKey)
  } catch {
    return null
  }
}

/** R11: one reload for one build. */
export const reloadOnce = (page: Window, build: string) => {
  try {
    page.sessionStorage.setItem(reloadedKey, build)
  } finally {
    page.location.reload()
  }
}
