import { Suspense, useState } from 'react'
import { isDeployable, isEditable, type Release } from '../../../contract/updates/releases'
import { useRefusal } from '../../system/scope/grants'
import { lazyPart } from '../../system/page/lazy'
import { MoreMenu } from '../../system/page/more-menu'
import type { MenuEntry } from '../../system/page/more-menu-list'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'

const StartRollout = lazyPart(() => import('./rollouts/start-rollout-dialog').then((part) => part.StartRolloutDialog))
const EditRelease = lazyPart(() => import('./edit-release-dialog').then((part) => part.EditReleaseDialog))
const EndRelease = lazyPart(() => import('./end-release-dialog').then((part) => part.EndReleaseDialog))

type Opened = 'edit' | 'rollout' | 'archive' | 'revoke' | 'delete' | 'reopen' | null

// Also of a superseded release: going back to it is a rollout, too.
const canStartRollout = (release: Release) => isDeployable(release.state)
const canRevoke = (release: Release) => isDeployable(release.state)
const canArchive = (release: Release) => isDeployable(release.state) || release.state === 'revoked'
const isDraft = (release: Release) => isEditable(release.state) || release.state === 'awaiting_signature'

type Entry = 'archive' | 'revoke' | 'delete'

/** What stops or ends the release, for the menu. */
const entriesOf = (release: Release): MenuEntry<Entry>[] => [
  ...(canArchive(release) ? [{ value: 'archive' as const, label: 'Archive release', danger: true }] : []),
  ...(canRevoke(release) ? [{ value: 'revoke' as const, label: 'Revoke release', danger: true }] : []),
  ...(isDraft(release) ? [{ value: 'delete' as const, label: 'Delete draft', danger: true }] : []),
]

/** The possible actions in the release's state; each dialog loads when it is opened. */
export const ReleaseActions = ({ release }: { release: Release }) => {
  const refused = useRefusal('project:manage_releases')
  const [opened, setOpened] = useState<Opened>(null)
  // A closing dialog does not close one that was opened meanwhile.
  const close = (gone: Opened) => () => setOpened((now) => (now === gone ? null : now))
  const entries = entriesOf(release)
  return (
    <>
      {release.state === 'awaiting_signature' && (
        <Button refused={refused} onClick={() => setOpened('reopen')}>
          Reopen draft
        </Button>
      )}
      <Button refused={refused} onClick={() => setOpened('edit')}>
        Edit
      </Button>
      {canStartRollout(release) && (
        <Button variant="primary" icon={<Icon name="play" />} refused={refused} onClick={() => setOpened('rollout')}>
          Start rollout
        </Button>
      )}
      {entries.length > 0 && <MoreMenu label="More actions" entries={entries} onChoose={setOpened} refused={refused} />}
      <Suspense>
        {opened === 'edit' && <EditRelease release={release} onClose={close('edit')} />}
        {opened === 'rollout' && <StartRollout release={release} onClose={close('rollout')} />}
        {(opened === 'archive' || opened === 'revoke' || opened === 'delete' || opened === 'reopen') && (
          <EndRelease release={release} how={opened} onClose={close(opened)} />
        )}
      </Suspense>
    </>
  )
}
