import { shallowEqual, useSelector } from '@xstate/react'
import type { LoadedUploads, UploadActor } from '../../system/uploads/uploads'
import { Dock } from '../../ui/dock'
import { DoneCount } from './done-count'
import { UploadRow } from './upload-row'

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
      onClose={() => panel.send({ type: 'panel.closed' })}
      closeLabel="close file upload progress"
    >
      {rows.map((upload) => (
        <UploadRow key={upload.id} upload={upload} several={rows.length > 1} onFile={(file) => give(upload.id, file)} />
      ))}
    </Dock>
  )
}
