import type { ActorRefFrom } from 'xstate'
import type { UploadFacts } from '../../../machines/upload-panel/upload/upload.machine'
import { uploadOf, type uploadPanelMachine } from '../../../machines/upload-panel/upload-panel.machine'

/** Paused uploads, with or without a row: only a row can continue them. */
export const listPaused = (panel: ActorRefFrom<typeof uploadPanelMachine>): UploadFacts[] => {
  const snapshot = panel.getSnapshot()
  return snapshot.context.entries.flatMap(({ file }) =>
    uploadOf(snapshot, file.id)?.getSnapshot().hasTag('paused') ? [file] : [],
  )
}
