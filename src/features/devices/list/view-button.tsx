import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { savedViewsQuery } from '../../../api/queries/fleet/saved-views'
import { lazyPart } from '../../../system/page/lazy'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon/icon'
import type { DevicesSearch } from './devices-search'
import { type ListLayout, toQueryText, useListLayout } from './list-layout'

const ViewMenu = lazyPart(() => import('./view-menu').then((part) => part.ViewMenu))

/** The saved view that the address names, and the list's layout under it. */
export const useCurrentView = (projectId: string, viewId: string | undefined, search: DevicesSearch) => {
  const { api } = useSystem()
  const { data: views } = useQuery({ ...savedViewsQuery(api, projectId), enabled: viewId !== undefined })
  const view = views?.find(({ id }) => id === viewId)
  const { layout, setLayout, isChanged, reset } = useListLayout(view)
  return { view, layout, setLayout, reset, isChanged: view !== undefined && (isChanged || view.query !== toQueryText(search)) }
}
type CurrentView = ReturnType<typeof useCurrentView>

export type ViewButtonProps = {
  projectId: string
  search: DevicesSearch
  current: CurrentView
  /** Shows a view, or all devices. */
  onShow: (to: { id: string; query: string } | undefined) => void
}
export type ViewMenuProps = ViewButtonProps & { layout: ListLayout }

/** The name of the current view, and whether the list differs from it; opens the menu of views. */
export const ViewButton = (props: ViewButtonProps) => {
  const { view, isChanged, layout } = props.current
  const [used, setUsed] = useState(false)
  const trigger = (
    <Button size="small" aria-haspopup="menu" onClick={() => setUsed(true)}>
      {view ? `${view.name}${isChanged ? ' (changed)' : ''}` : 'All devices'}
      <Icon name="down" size={14} />
    </Button>
  )
  if (!used) return trigger
  return (
    <Suspense fallback={trigger}>
      <ViewMenu {...props} layout={layout}>
        {trigger}
      </ViewMenu>
    </Suspense>
  )
}
