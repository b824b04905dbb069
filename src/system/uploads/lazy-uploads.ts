import type { QueryClient } from '@tanstack/react-query'
import type { Api } from '../../api/client'
import type { FirstPage } from '../list/first-page'
import { fetchPart } from '../page/lazy'
import type { UnsavedWork } from '../form/unsaved-work'
import type { UploadConnection } from './tus'
import type { LoadedUploads } from './uploads'

type Parts = { api: Api; queryClient: QueryClient; line: UploadConnection; work: UnsavedWork; firstPage: FirstPage }
type PanelEvent = { type: 'session.opened' | 'session.closed' | 'connection.restored' }

/** Uploads and their charts, which load after the first screen. */
export type Uploads = {
  /** Starts uploads; the panel shows them. The target of the bytes must exist before. */
  add: LoadedUploads['add']
  /** Sends an event of the rest of the system to the panel. */
  send: (event: PanelEvent) => void
  /** Undefined until they have loaded. */
  current: () => LoadedUploads | undefined
  subscribe: (changed: () => void) => () => void
}

export const createLazyUploads = ({ work, firstPage, ...parts }: Parts): Uploads => {
  const listeners = new Set<() => void>()
  let loaded: LoadedUploads | undefined
  let loading: Promise<LoadedUploads> | undefined
  const start = async () => {
    const { createUploads } = await fetchPart(() => import('./uploads'))
    loaded = createUploads(parts)
    const { panel } = loaded
    panel.subscribe((snapshot) => work.note('uploads', snapshot.hasTag('busy')))
    panel.start()
    for (const listener of listeners) listener()
    return loaded
  }
  const load = () => (loading ??= start())
  return {
    add: (files) => void load().then((uploads) => uploads.add(files)),
    send: (event) => {
      if (loaded) loaded.panel.send(event)
      // Unfinished uploads are requested when the first page is ready.
      else if (event.type === 'session.opened') void firstPage.settled.then(load).then((uploads) => uploads.panel.send(event))
    },
    current: () => loaded,
    subscribe: (changed) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}
