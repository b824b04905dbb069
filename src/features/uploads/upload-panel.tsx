import { useSelector } from '@xstate/react'
import { Suspense, useSyncExternalStore } from 'react'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import type { LoadedUploads } from '../../system/uploads/uploads'

const UploadDock = lazyPart(() => import('./upload-dock').then((part) => part.UploadDock))

/** §2: visible while statuses exist. */
const Shown = ({ uploads }: { uploads: LoadedUploads }) =>
  useSelector(uploads.panel, (snapshot) => snapshot.hasTag('visible')) ? (
    <Suspense>
      <UploadDock uploads={uploads} />
    </Suspense>
  ) : null

/** Its charts load after the first screen, its styles with the first file. */
export const UploadPanel = () => {
  const { uploads } = useSystem()
  const loaded = useSyncExternalStore(uploads.subscribe, uploads.current)
  return loaded ? <Shown uploads={loaded} /> : null
}
