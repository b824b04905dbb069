import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useState } from 'react'
import type { SavedView } from '../../../../contract/fleet/saved-views'
import { failureOf } from '../../../api/failure'
import {
  createSavedViewMutation,
  deleteSavedViewMutation,
  updateSavedViewMutation,
} from '../../../api/mutations/fleet/saved-views'
import { savedViewsQuery } from '../../../api/queries/fleet/saved-views'
import { selfQuery } from '../../../api/queries/accounts/self'
import { describeFailure } from '../../../system/failure/failure-text'
import { useRefusal } from '../../../system/scope/grants'
import { lazyPart } from '../../../system/page/lazy'
import { notify } from '../../../system/failure/notify'
import { useSystem } from '../../../system/system'
import * as Menu from '../../../ui/overlay/menu'
import { toQueryText } from './list-layout'
import type { ViewMenuProps } from './view-button'

const SaveViewDialog = lazyPart(() => import('./save-view-dialog').then((part) => part.SaveViewDialog))

const notifyFailed = (error: unknown) => {
  const failure = failureOf(error)
  const detail = failure && (describeFailure(failure) ?? failure.message)
  void notify({ kind: 'error', text: 'The view was not changed', ...(detail !== undefined && { detail }) })
}

const Views = ({ label, views }: { label: string; views: readonly SavedView[] }) =>
  views.length > 0 && (
    <Menu.ItemGroup>
      <Menu.ItemGroupLabel>{label}</Menu.ItemGroupLabel>
      {views.map(({ id, name }) => (
        <Menu.Item key={id} value={`show ${id}`}>
          {name}
        </Menu.Item>
      ))}
    </Menu.ItemGroup>
  )

/** Loaded when the button is first pressed, and then opened at once. */
export const ViewMenu = ({ projectId, search, current, layout, onShow, children }: ViewMenuProps & { children: ReactNode }) => {
  const { api } = useSystem()
  const { data: views = [] } = useQuery(savedViewsQuery(api, projectId))
  const { data: user } = useQuery(selfQuery(api))
  const lacking = useRefusal('project:manage_devices')
  const [dialog, setDialog] = useState<'save' | 'rename'>()
  const options = { onError: notifyFailed }
  const create = useMutation({ ...createSavedViewMutation(api, projectId), ...options })
  const update = useMutation({ ...updateSavedViewMutation(api), ...options })
  const remove = useMutation({ ...deleteSavedViewMutation(api), ...options })
  const { view, isChanged, reset } = current
  const isOwn = (one: SavedView) => one.owner.id === user?.id
  const refused = view && !isOwn(view) ? lacking : undefined
  const shown = { query: toQueryText(search), columns: layout.columns, dense: layout.dense }

  const save = async (changed: SavedView, body: Partial<typeof shown> & { shared?: boolean }, text: string) => {
    const { query, columns, dense, shared } = changed
    const after = await update.mutateAsync({ view: changed, body })
    const before = { query, columns: columns as typeof shown.columns, dense, shared }
    const undo = () => void update.mutateAsync({ view: after, body: before }).catch(() => {})
    void notify({ kind: 'success', text, action: { label: 'Undo', onClick: undo } })
  }
  const drop = async ({ name, query, columns, dense, shared, ...one }: SavedView) => {
    await remove.mutateAsync({ name, query, columns, dense, shared, ...one })
    onShow(undefined)
    const again = { name, query, columns: columns as typeof shown.columns, dense, shared }
    const undo = () => void create.mutateAsync({ body: again }).then(onShow, () => {})
    void notify({ kind: 'success', text: `The view ${name} was deleted`, action: { label: 'Undo', onClick: undo } })
  }
  const choose = (value: string) => {
    const [action, id] = value.split(' ')
    if (action === 'all') onShow(undefined)
    else if (action === 'show') onShow(views.find((one) => one.id === id))
    else if (action === 'save') setDialog('save')
    else if (action === 'rename') setDialog('rename')
    if (!view) return
    if (action === 'update') void save(view, shown, `The view ${view.name} was updated`).catch(() => {})
    else if (action === 'share') {
      const text = view.shared ? `The view ${view.name} is now yours alone` : `The view ${view.name} is shared`
      void save(view, { shared: !view.shared }, text).catch(() => {})
    } else if (action === 'delete') void drop(view).catch(() => {})
    else if (action === 'reset') {
      reset()
      onShow(view)
    }
  }
  return (
    <>
      <Menu.Root defaultOpen onSelect={({ value }) => choose(value)} positioning={{ placement: 'bottom-end' }}>
        <Menu.Trigger asChild>{children}</Menu.Trigger>
        <Menu.Content>
          <Menu.Item value="all">All devices</Menu.Item>
          <Views label="Your views" views={views.filter((one) => isOwn(one))} />
          <Views label="Shared views" views={views.filter((one) => !isOwn(one))} />
          <Menu.Separator />
          {isChanged && <Menu.Item value="reset">Discard changes</Menu.Item>}
          <Menu.Item value="save">Save view…</Menu.Item>
          {view && (
            <>
              <Menu.Item value="update" disabled={!isChanged || refused !== undefined}>
                Update view
              </Menu.Item>
              <Menu.Item value="rename" disabled={refused !== undefined}>
                Rename…
              </Menu.Item>
              <Menu.Item value="share" disabled={refused !== undefined}>
                {view.shared ? 'Stop sharing' : 'Share'}
              </Menu.Item>
              <Menu.Separator />
              <Menu.Item value="delete" data-danger disabled={refused !== undefined}>
                Delete view
              </Menu.Item>
              {refused !== undefined && (
                <Menu.ItemGroup>
                  <Menu.ItemGroupLabel>{`Made by ${view.owner.name}. ${refused}`}</Menu.ItemGroupLabel>
                </Menu.ItemGroup>
              )}
            </>
          )}
        </Menu.Content>
      </Menu.Root>
      {dialog && (
        <Suspense>
          <SaveViewDialog
            view={dialog === 'rename' ? view : undefined}
            projectId={projectId}
            shown={shown}
            onSaved={onShow}
            onClose={() => setDialog(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}
