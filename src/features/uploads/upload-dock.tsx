import { shallowEqual, useSelector } from '@xstate/react'
import type { UploadFacts } from '../../../machines/upload-panel/upload/upload.machine'
import { formatCount } from '../../lib/amounts'
import { notify } from '../../system/failure/notify'
import { listBeingRead, listTagged } from '../../system/uploads/tagged-uploads'
import type { LoadedUploads, UploadActor } from '../../system/uploads/uploads'
import { Dock } from '../../ui/overlay/dock'
import { DoneCount } from './done-count'
import { UploadRow } from './upload-row'

/** A notice that stays and leads back to uploads that would wait unseen. */
const announce = (files: readonly UploadFacts[], [one, several]: readonly [string, string], onShow: () => void) => {
  const [first] = files
  if (!first) return
  const text = files.length === 1 ? `The upload of ${first.name} ${one}` : `${formatCount(files.length)} uploads ${several}`
  void notify({ kind: 'warning', text, action: { label: 'Show', onClick: onShow } })
}

/** §4: it hides all rows. Paused uploads would wait unseen, and files that are still read would never be sent. */
const closePanel = (panel: LoadedUploads['panel']) => {
  const paused = listTagged(panel, 'paused')
  const read = listBeingRead(panel)
  panel.send({ type: 'panel.closed' })
  announce(paused, ['is paused', 'are paused'], () => panel.send({ type: 'files.chosen', files: listTagged(panel, 'paused') }))
  announce(read, ['has not begun', 'have not begun'], () => panel.send({ type: 'files.chosen', files: read }))
}

/** One row for each shown file; a row subscribes only to its own upload. */
export const UploadDock = ({ uploads: { panel, give } }: { uploads: LoadedUploads }) => {
  const expanded = useSelector(panel, (snapshot) => snapshot.hasTag('expanded'))
  const rows = useSelector(
    panel,
    ({ context, children }) =>
      context.entries.flatMap(({ file, shown }) => {
        const upload = shown ? (children[file.id] as UploadActor | undefined) : undefined // spawned under the id of its file
        return upload ? [upload] : []
      }),
    shallowEqual,
  )
  return (
    <Dock
      title="Upload Progress"
      note={<DoneCount uploads={rows} />}
      collapsed={!expanded}
      onToggle={() => panel.send({ type: expanded ? 'panel.collapsed' : 'panel.expanded' })}
      onClose={() => closePanel(panel)}
      closeLabel="close file upload progress"
    >
      {rows.map((upload) => (
        <UploadRow key={upload.id} upload={upload} several={rows.length > 1} onFile={(file) => give(upload.id, file)} />
      ))}
    </Dock>
  )
}
