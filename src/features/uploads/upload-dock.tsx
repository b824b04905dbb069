import { shallowEqual, useSelector } from '@xstate/react'
import { formatCount } from '../../lib/amounts'
import { notify } from '../../system/notify'
import { listTagged } from '../../system/uploads/tagged-uploads'
import type { LoadedUploads, UploadActor } from '../../system/uploads/uploads'
import { Dock } from '../../ui/dock'
import { DoneCount } from './done-count'
import { UploadRow } from './upload-row'

/** §4: it hides all rows. Paused uploads would wait unseen, so a notice that stays leads back to them. */
const closePanel = (panel: LoadedUploads['panel']) => {
  const paused = listTagged(panel, 'paused')
  panel.send({ type: 'panel.closed' })
  const [first] = paused
  if (!first) return
  const text = paused.length === 1 ? `The upload of ${first.name} is paused` : `${formatCount(paused.length)} uploads are paused`
  const show = () => panel.send({ type: 'files.chosen', files: listTagged(panel, 'paused') })
  void notify({ kind: 'warning', text, action: { label: 'Show', onClick: show } })
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
