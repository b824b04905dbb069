import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { BulkAction, BulkArgs, Selection } from '../../../../contract/device-jobs'
import { bulkChangeMutation } from '../../../api/mutations/device-jobs'
import { failureOf } from '../../../api/failure'
import { createKeys } from '../../../system/idempotency'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'

/** The selected devices, as the server is asked to change them. */
type Selected = { projectId: string; count: number; selection: Selection }
export type DialogProps = { selected: Selected; onClose: () => void; onStarted: () => void }

/** A dialog that starts a job over the selected devices, and leads to its page. */
export const useBulkChange = (name: string, { selected, onClose, onStarted }: DialogProps) => {
  const { api } = useSystem()
  const navigate = useNavigate()
  const { organizationId = '' } = useParams({ strict: false })
  const { close, root } = useModal(name, onClose)
  const [keys] = useState(createKeys)
  const { projectId, count, selection } = selected
  const { mutateAsync, error, isPending } = useMutation(bulkChangeMutation(api, projectId))
  const start = async (action: BulkAction, args: BulkArgs = {}) => {
    const body = { selection, expected_count: count, action, args }
    const made = await mutateAsync({ body, idempotencyKey: keys.of(body) }).catch((failed: unknown) => {
      // Only without an answer may a retry use the same key: the job may have started.
      if (failureOf(failed)?.status !== 0) keys.spend()
    })
    if (!made) return
    close()
    onStarted()
    await navigate({
      to: '/organizations/$organizationId/projects/$projectId/devices/jobs/$jobId',
      params: { organizationId, projectId, jobId: made.job_id },
    })
  }
  return { root, close, start, error, isPending }
}
