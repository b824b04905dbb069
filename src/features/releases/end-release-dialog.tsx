import { useMutation } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { Release } from '../../../contract/updates/releases'
import {
  archiveReleaseMutation,
  deleteReleaseMutation,
  reopenReleaseMutation,
  revokeReleaseMutation,
} from '../../api/mutations/updates/releases'
import { formatCount } from '../../lib/amounts'
import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'
import { RevokeDialog } from '../../system/revoke-dialog'
import { useSystem } from '../../system/system'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId')

type Props = { release: Release; how: 'archive' | 'revoke' | 'delete' | 'reopen'; onClose: () => void }
const keptText = (devices: number) =>
  devices === 0
    ? 'No active device runs it now.'
    : `Active devices that run it now and keep it: ${formatCount(devices)}. To end that, roll back its rollouts or roll out the next release.`

const Revoke = ({ release, onClose }: Omit<Props, 'how'>) => {
  const { api } = useSystem()
  const modal = useModal('revoke_release', onClose)
  const { mutate, error, isPending } = useMutation({
    ...revokeReleaseMutation(api),
    onSettled: (_release, failed) => failed ?? modal.close(),
  })
  return (
    <RevokeDialog
      what="release"
      name={release.name}
      description={`Devices no longer get this release, and its open rollouts are cancelled. ${keptText(release.active_devices)} A revoked release cannot be offered again.`}
      reasonHint="Recorded in the audit log and on the release."
      modal={modal}
      busy={isPending}
      error={error}
      onRevoke={(reason) => mutate({ releaseId: release.id, reason })}
    />
  )
}

const Delete = ({ release, onClose }: Omit<Props, 'how'>) => {
  const { api } = useSystem()
  const modal = useModal('delete_draft', onClose)
  const navigate = useNavigate()
  const params = route.useParams()
  const { mutate, error, isPending } = useMutation(deleteReleaseMutation(api))
  const leave = () => void navigate({ to: '/organizations/$organizationId/projects/$projectId/releases/list', params })
  return (
    <AskDialog
      title={`Delete the draft ${release.name}?`}
      text={
        release.assets.length === 0
          ? 'It has no files.'
          : `Its files are deleted too: ${release.assets.length}. No device has received them.`
      }
      verb="Delete draft"
      busyVerb="Deleting..."
      error={error}
      busy={isPending}
      modal={modal}
      onConfirm={() => mutate(release, { onSuccess: leave })}
    />
  )
}

const Reopen = ({ release, onClose }: Omit<Props, 'how'>) => {
  const { api } = useSystem()
  const modal = useModal('reopen_release', onClose)
  const { mutate, error, isPending } = useMutation({
    ...reopenReleaseMutation(api),
    onSettled: (_release, failed) => failed ?? modal.close(),
  })
  return (
    <AskDialog
      title={`Reopen ${release.name}?`}
      text="Its manifest is discarded and the release can be changed again. Then build and sign a new manifest: a signature of the current one will not match."
      verb="Reopen draft"
      busyVerb="Reopening..."
      error={error}
      busy={isPending}
      danger={false}
      modal={modal}
      onConfirm={() => mutate(release.id)}
    />
  )
}

const Archive = ({ release, onClose }: Omit<Props, 'how'>) => {
  const { api } = useSystem()
  const modal = useModal('archive_release', onClose)
  const { mutate, error, isPending } = useMutation({
    ...archiveReleaseMutation(api),
    onSettled: (_release, failed) => failed ?? modal.close(),
  })
  return (
    <AskDialog
      title={`Archive ${release.name}?`}
      text="Its open rollouts are cancelled, and no new one can be started. Devices that run it keep it. It stays in the list and cannot be taken out of the archive."
      verb="Archive release"
      busyVerb="Archiving..."
      error={error}
      busy={isPending}
      modal={modal}
      onConfirm={() => mutate(release.id)}
    />
  )
}

const dialogs = { archive: Archive, revoke: Revoke, delete: Delete, reopen: Reopen }

/** Ends a release: archives or revokes it, deletes a draft, or discards an unsigned manifest. */
export const EndReleaseDialog = ({ how, ...rest }: Props) => {
  const Chosen = dialogs[how]
  return <Chosen {...rest} />
}
