import { useMutation } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { bundleLinkMutation, checkBundleMutation, restoreBundleMutation } from '../../api/mutations/updates/bundles'
import { failureOf } from '../../api/failure'
import { describeFailure } from '../../system/failure/failure-text'
import { useRefusal } from '../../system/scope/grants'
import { lazyPart } from '../../system/page/lazy'
import { MoreMenu } from '../../system/page/more-menu'
import type { MenuEntry } from '../../system/page/more-menu-list'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'
import { isEditable } from './bundle-display'

const EditBundle = lazyPart(() => import('./edit-bundle-dialog').then((part) => part.EditBundleDialog))
const EndBundle = lazyPart(() => import('./end-bundle-dialog').then((part) => part.EndBundleDialog))

type Entry = 'restore' | 'archive' | 'revoke' | 'delete'
type Opened = 'edit' | 'archive' | 'revoke' | 'delete' | null

/** The transitions of the chart that a person may ask for (machines/secure-boot). */
const entriesOf = ({ state, applied, releases }: SecureBootBundle): MenuEntry<Entry>[] => [
  ...(state === 'archived' ? [{ value: 'restore' as const, label: 'Restore bundle' }] : []),
  ...(isEditable(state) ? [{ value: 'archive' as const, label: 'Archive bundle', danger: true }] : []),
  ...(['ready', 'in_use', 'archived'].includes(state)
    ? [{ value: 'revoke' as const, label: 'Revoke bundle', danger: true }]
    : []),
  ...(state !== 'in_use' && state !== 'checking' && applied.devices === 0 && releases.length === 0
    ? [{ value: 'delete' as const, label: 'Delete bundle', danger: true }]
    : []),
]

const failed = (error: unknown) => {
  const failure = failureOf(error)
  const detail = failure?.details[0]?.message ?? (failure && describeFailure(failure))
  void notify({ kind: 'error', text: failure?.message ?? 'Nothing was changed', ...(detail !== undefined && { detail }) })
}

/** The possible actions in the bundle's state; each dialog loads when it is opened. */
export const BundleActions = ({ bundle }: { bundle: SecureBootBundle }) => {
  const { api } = useSystem()
  const refused = useRefusal('project:update')
  const deny = refused !== undefined && { refused }
  const [opened, setOpened] = useState<Opened>(null)
  const check = useMutation({ ...checkBundleMutation(api), onError: failed })
  const restore = useMutation({ ...restoreBundleMutation(api), onError: failed })
  const fetchLink = useMutation({ ...bundleLinkMutation(api), onError: failed })
  // A closing dialog does not close one that was opened meanwhile.
  const close = (gone: Opened) => () => setOpened((now) => (now === gone ? null : now))
  const entries = entriesOf(bundle)
  const hasFiles = bundle.artifacts.some((part) => part.state === 'ready')
  return (
    <>
      {hasFiles && bundle.state !== 'revoked' && (
        <Button
          icon={<Icon name="dl" />}
          {...deny}
          busy={fetchLink.isPending}
          onClick={() => fetchLink.mutate(bundle.id, { onSuccess: ({ url }) => window.location.assign(url) })}
        >
          Download
        </Button>
      )}
      {bundle.state !== 'checking' && (
        <Button {...deny} onClick={() => setOpened('edit')}>
          Edit
        </Button>
      )}
      {isEditable(bundle.state) && (
        <Button
          variant="primary"
          icon={<Icon name="play" />}
          {...deny}
          busy={check.isPending}
          busyLabel="Starting..."
          onClick={() => check.mutate(bundle.id)}
        >
          Check bundle
        </Button>
      )}
      {entries.length > 0 && (
        <MoreMenu
          label="More actions"
          entries={entries}
          onChoose={(entry) => (entry === 'restore' ? restore.mutate(bundle.id) : setOpened(entry))}
          refused={refused}
        />
      )}
      <Suspense>
        {opened === 'edit' && <EditBundle bundle={bundle} onClose={close('edit')} />}
        {opened !== null && opened !== 'edit' && <EndBundle bundle={bundle} how={opened} onClose={close(opened)} />}
      </Suspense>
    </>
  )
}
