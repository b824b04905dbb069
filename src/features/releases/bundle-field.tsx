import { useInfiniteQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { listLimit } from '../../../contract/core/limits'
import { bundlesQuery } from '../../api/queries/updates/bundles'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { noBundle } from './release-fields'

const BundleSelect = lazyPart(() => import('./bundle-select').then((part) => part.BundleSelect))

type Props = { field: { name: string; error: string | undefined }; projectId: string; start?: string | null | undefined }

/** The secure boot bundle that a release needs, where the project has usable ones. Until they are loaded the value stays. */
export const BundleField = ({ field, projectId, start = null }: Props) => {
  const { api } = useSystem()
  const { data } = useInfiniteQuery(bundlesQuery(api, projectId, { limit: listLimit.max }))
  const usable = (data?.pages[0]?.artifact_bundles ?? []).filter(
    ({ id, state }) => state === 'ready' || state === 'in_use' || id === start,
  )
  const kept = <input type="hidden" name={field.name} value={start ?? noBundle} />
  if (usable.length === 0) return kept
  return (
    <Suspense fallback={kept}>
      <BundleSelect {...field} bundles={usable} start={start} />
    </Suspense>
  )
}
