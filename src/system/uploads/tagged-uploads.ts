import type { ActorRefFrom } from 'xstate'
import type { UploadFacts } from '../../../machines/upload-panel/upload/upload.machine'
import { uploadOf, type uploadPanelMachine } from '../../../machines/upload-panel/upload-panel.machine'

export type UploadPanelActor = ActorRefFrom<typeof uploadPanelMachine>

/** Uploads whose file is still read: closing the panel drops them, as nothing of them was sent. */
export const listBeingRead = (panel: UploadPanelActor): UploadFacts[] => {
  const snapshot = panel.getSnapshot()
  return snapshot.context.entries.flatMap(({ file, running }) =>
    !running && uploadOf(snapshot, file.id)?.getSnapshot().hasTag('busy') ? [file] : [],
  )
}

/** Paused or failed uploads, with or without a row: only a row can continue them. */
export const listTagged = (panel: UploadPanelActor, ...tags: ('paused' | 'failed')[]): UploadFacts[] => {
  const snapshot = panel.getSnapshot()
  return snapshot.context.entries.flatMap(({ file }) => {
    const upload = uploadOf(snapshot, file.id)?.getSnapshot()
    return tags.some((tag) => upload?.hasTag(tag)) ? [file] : []
  })
}
