import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { formatCount } from '../../../lib/amounts'
import { useRefusal } from '../../../system/scope/grants'
import { lazyPart } from '../../../system/page/lazy'
import { MoreMenu } from '../../../system/page/more-menu'
import type { MenuEntry } from '../../../system/page/more-menu-list'
import { Button } from '../../../ui/button'
import { BulkBar } from '../../../ui/overlay/dock'
import { Icon } from '../../../ui/icon/icon'
import { useNarrow } from '../../../ui/layout/use-narrow'
import type { PlainAction } from './plain-dialog'
import type { DialogProps } from './use-bulk-change'
import type { DeviceSelection } from '../list/use-selection'
import { barKey } from '../list/selection-keys'
import { describeTooMany } from '../list/selection'

const Tags = lazyPart(() => import('./tags-dialog').then((part) => part.TagsDialog))
const Pause = lazyPart(() => import('./pause-dialog').then((part) => part.PauseDialog))
const Move = lazyPart(() => import('./move-dialog').then((part) => part.MoveDialog))
const Decommission = lazyPart(() => import('./decommission-dialog').then((part) => part.DecommissionDialog))
const Plain = lazyPart(() => import('./plain-dialog').then((part) => part.PlainDialog))

type Action = 'tags' | 'pause' | 'move' | 'decommission' | PlainAction

const entries: readonly MenuEntry<Action>[] = [
  { value: 'resume', label: 'Resume updates…' },
  { value: 'disable_updates', label: 'Turn updates off…' },
  { value: 'enable_updates', label: 'Turn updates on…' },
  { value: 'enable', label: 'Enable…' },
  { value: 'disable', label: 'Disable…' },
]
// On a phone a bar with all buttons would cover a third of the list.
const allEntries: readonly MenuEntry<Action>[] = [
  { value: 'tags', label: 'Tags…' },
  { value: 'pause', label: 'Pause updates…' },
  ...entries,
  { value: 'move', label: 'Move…' },
  { value: 'decommission', label: 'Decommission…', danger: true },
]

const BulkDialog = ({ dialog, ...props }: DialogProps & { dialog: Action }) => {
  switch (dialog) {
    case 'tags':
      return <Tags {...props} />
    case 'pause':
      return <Pause {...props} />
    case 'move':
      return <Move {...props} />
    case 'decommission':
      return <Decommission {...props} />
    default:
      return <Plain {...props} action={dialog} />
  }
}

type Props = { projectId: string; selection: DeviceSelection }

/** What can be done with the selected devices. Escape in it leads back to the row. */
export const DeviceBulkBar = ({
  projectId,
  selection: { count, selection, matching, selectAll, clear, clearFromBar },
}: Props) => {
  const refusal = useRefusal('project:manage_devices')
  const refused = refusal ?? describeTooMany(selection)
  const isNarrow = useNarrow()
  // The list is read again below an open dialog: what is confirmed is what was selected when it opened.
  const [opened, setOpened] = useState<{ dialog: Action; selected: DialogProps['selected'] }>()
  const choose = (dialog: Action) => setOpened({ dialog, selected: { projectId, count, selection } })
  const open = (name: Action) => ({ refused, onClick: () => choose(name), size: 'small' as const })
  return (
    <>
      <BulkBar count={`${formatCount(count)} selected`} shortcut={barKey} onClear={clearFromBar}>
        {matching !== undefined && (
          <Button variant="ghost" size="small" className={css({ color: 'bloom.text' })} onClick={selectAll}>
            {isNarrow ? `All ${formatCount(matching)} matching` : `Select all ${formatCount(matching)} matching`}
          </Button>
        )}
        {!isNarrow && (
          <>
            <Button {...open('tags')} icon={<Icon name="tag" />}>
              Tags
            </Button>
            <Button {...open('pause')} icon={<Icon name="pause" />}>
              Pause updates
            </Button>
            <Button {...open('move')}>Move</Button>
            <Button {...open('decommission')} variant="dangerOutline">
              Decommission
            </Button>
          </>
        )}
        <MoreMenu
          small
          label={isNarrow ? 'Change the selected devices' : 'More for the selected devices'}
          entries={isNarrow ? allEntries : entries}
          refused={refused}
          onChoose={choose}
        />
      </BulkBar>
      <Suspense>{opened && <BulkDialog {...opened} onClose={() => setOpened(undefined)} onStarted={clear} />}</Suspense>
    </>
  )
}
