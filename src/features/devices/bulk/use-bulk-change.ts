import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { BulkAction, BulkArgs, BulkChange, Selection } from '../../../../contract/fleet/device-jobs'
import { bulkChangeMutation } from '../../../api/mutations/fleet/device-jobs'
import { createHeldRequest } from '../../../system/form/held-request'
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
  const { close, cancel, root } = useModal(name, onClose)
  const [startOnce] = useState(createHeldRequest<BulkChange>)
  const { projectId, count, selection } = selected
  const { mutateAsync, error, isPending } = useMutation(bulkChangeMutation(api, projectId))
  /** `intent`: of arguments that change by themselves, what they are computed from. */
  const start = async (action: BulkAction, args: BulkArgs = {}, intent: unknown = args) => {
    const body = { selection, expected_count: count, action, args }
    // The expected number is no part of the intent: a job that has started may change how many devices match.
    const made = await startOnce({ selection, action, intent }, body, mutateAsync).catch(() => undefined)
    if (!made) return
    close()
    onStarted()
    await navigate({
      to: '/organizations/$organizationId/projects/$projectId/devices/jobs/$jobId',
      params: { organizationId, projectId, jobId: made.job_id },
    })
  }
  return { root, cancel, start, error, isPending }
}
