import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { RevocationStops as Stops } from '../../../contract/fleet/keys'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import {
  archiveBundleMutation,
  deleteBundleMutation,
  restoreBundleMutation,
  revokeBundleMutation,
} from '../../api/mutations/updates/bundles'
import { bundleRevocationQuery } from '../../api/queries/updates/bundle-revocation'
import { pluralize } from '../../lib/pluralize'
import { FailureBox } from '../../system/failure/failure-box'
import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'
import { RevocationStops } from '../../system/revocation-stops'
import { RevokeDialog } from '../../system/revoke-dialog'
import { useSystem } from '../../system/system'
import { PanelSkeletons } from '../../ui/layout/panel'
import { announceUndo } from './announce-undo'

type Props = { bundle: SecureBootBundle; onClose: () => void }
const kept = ({ applied: { devices } }: SecureBootBundle) => {
  if (devices === 0) return 'No device reports it.'
  return devices === 1
    ? '1 device that reports it keeps it: its fuses stay as they are.'
    : `${devices} devices that report it keep it: their fuses stay as they are.`
}

const stopText = ({ releases, rollouts }: Stops) =>
  [
    rollouts.length === 0
      ? 'No rollout is open.'
      : `${pluralize(rollouts.length, 'rollout')} will be cancelled, and running updates are asked to stop.`,
    `${pluralize(releases.length, 'release')} that ${releases.length === 1 ? 'needs' : 'need'} this bundle can no longer be rolled out.`,
  ].join(' ')

const Revoke = ({ bundle, onClose }: Props) => {
  const { api } = useSystem()
  const modal = useModal('revoke_bundle', onClose)
  const preview = useQuery(bundleRevocationQuery(api, bundle.id))
  const { mutate, error, isPending } = useMutation({
    ...revokeBundleMutation(api),
    onSettled: (_bundle, failed) => failed ?? modal.close(),
  })
  return (
    <RevokeDialog
      wide
      what="bundle"
      name={bundle.name}
      description={`Its plan and files can no longer be downloaded. ${kept(bundle)} A revoked bundle can never be used again.`}
      reasonHint="Recorded in the audit log and on the bundle."
      modal={modal}
      busy={isPending}
      error={error}
      onRevoke={(reason) => mutate({ bundleId: bundle.id, reason })}
    >
      {preview.data ? (
        <RevocationStops stops={preview.data} none="No release needs this bundle, so no rollout stops.">
          {stopText(preview.data)}
        </RevocationStops>
      ) : preview.error ? (
        <FailureBox error={preview.error} onRetry={() => void preview.refetch()} />
      ) : (
        <PanelSkeletons rows={2} />
      )}
    </RevokeDialog>
  )
}

const Archive = ({ bundle, onClose }: Props) => {
  const { api } = useSystem()
  const modal = useModal('archive_bundle', onClose)
  const { mutate, error, isPending } = useMutation(archiveBundleMutation(api))
  const { mutateAsync: restore } = useMutation(restoreBundleMutation(api))
  const done = () => {
    modal.close()
    announceUndo(`${bundle.name} archived`, () => restore(bundle.id))
  }
  return (
    <AskDialog
      title={`Archive ${bundle.name}?`}
      text="It stays in the list and is no longer used. When it is restored it is a draft and must be checked again."
      verb="Archive bundle"
      busyVerb="Archiving..."
      error={error}
      busy={isPending}
      modal={modal}
      onConfirm={() => mutate(bundle.id, { onSuccess: done })}
    />
  )
}

const Delete = ({ bundle, onClose }: Props) => {
  const { api } = useSystem()
  const modal = useModal('delete_bundle', onClose)
  const navigate = useNavigate()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const { mutate, error, isPending } = useMutation(deleteBundleMutation(api))
  const leave = () =>
    void navigate({
      to: '/organizations/$organizationId/projects/$projectId/secure-boot/list',
      params: { organizationId, projectId },
    })
  return (
    <AskDialog
      title={`Delete ${bundle.name}?`}
      text={
        bundle.artifacts.length === 0
          ? 'It has no files. It cannot be restored.'
          : `Its ${pluralize(bundle.artifacts.length, 'file')} are deleted too. It cannot be restored.`
      }
      verb="Delete bundle"
      busyVerb="Deleting..."
      error={error}
      busy={isPending}
      modal={modal}
      onConfirm={() => mutate(bundle, { onSuccess: leave })}
    />
  )
}

const dialogs = { archive: Archive, revoke: Revoke, delete: Delete }

/** Ends a bundle; says first what it means for devices and releases. */
export const EndBundleDialog = ({ how, ...rest }: Props & { how: keyof typeof dialogs }) => {
  const Chosen = dialogs[how]
  return <Chosen {...rest} />
}
