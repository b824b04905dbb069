import { useSyncExternalStore } from 'react'
import type { UploadActor } from '../../system/uploads/uploads'

const done = (uploads: readonly UploadActor[]) => uploads.filter((upload) => upload.getSnapshot().hasTag('done')).length

export const DoneCount = ({ uploads }: { uploads: readonly UploadActor[] }) => {
  const count = useSyncExternalStore(
    (changed) => {
      const heard = uploads.map((upload) => upload.subscribe(changed))
      return () => heard.forEach((one) => one.unsubscribe())
    },
    () => done(uploads),
  )
  return (
    <span aria-live="polite">
      {count} of {uploads.length} done
    </span>
  )
}
