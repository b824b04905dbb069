import { useQuery } from '@tanstack/react-query'
import { useMatches, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { selfQuery } from '../../../api/queries/accounts/self'
import { commandKey } from '../../../lib/shortcut'
import { useModal } from '../../../system/modals/use-modal'
import { useRouteScope } from '../../../system/scope/scope'
import { useSystem } from '../../../system/system'
import { Palette as Box } from '../../../ui/overlay/palette'
import { filterItems, type Group, type Item } from './items'
import { paletteName } from '../../../system/palette-state'
import { storeRecent } from './recent'
import { useActions, useRefreshActions } from './use-actions'
import { useHits } from './use-hits'
import { usePages } from './use-pages'
import { useOrganizations, useProjects } from './use-projects'
import { useRecent } from './use-recent'

const union = (some: readonly Item[], more: readonly Item[]) => [
  ...some,
  ...more.filter(({ id }) => !some.some((one) => one.id === id)),
]

/** Without text: recent and available pages. Otherwise all matches, the fleet first. */
const useGroups = (typed: string) => {
  const hits = useHits(typed)
  const pages = usePages()
  const projects = useProjects()
  const organizations = useOrganizations()
  const actions = useActions()
  const refreshing = useRefreshActions()
  const recent = useRecent()
  const inProject = useRouteScope().projectId !== undefined
  const here = useMatches({ select: (matches) => matches.at(-1)?.fullPath.replace(/(.)\/$/, '$1') })
  const adding = pages.filter(({ label }) => label.startsWith('Add '))
  const places = pages.filter(({ label }) => !label.startsWith('Add '))
  const groups: Group[] =
    typed.trim() === ''
      ? [
          { title: 'Recent', items: recent },
          { title: 'Projects', items: inProject ? [] : projects.slice(0, 6) },
          { title: 'Go to', items: places.filter(({ id }) => id !== here) },
          { title: 'Actions', items: [...adding, ...actions] },
        ]
      : [
          ...hits.groups,
          ...(inProject ? [] : hits.elsewhere),
          { title: 'Projects', items: union(filterItems(projects, typed), hits.projects) },
          { title: 'Go to', items: filterItems(places, typed) },
          { title: 'Actions', items: filterItems([...adding, ...actions, ...refreshing], typed) },
          { title: 'Organizations', items: filterItems(organizations, typed) },
          ...(inProject ? hits.elsewhere : []),
        ]
  return { groups: groups.filter(({ items }) => items.length > 0), state: hits.state }
}

/** Search for every page, device, release and action by name, within the user's permissions. */
export const Palette = ({ onClosed }: { onClosed: () => void }) => {
  const { api } = useSystem()
  const router = useRouter()
  const { projectId } = useRouteScope()
  const { close, root } = useModal(paletteName, onClosed)
  const [typed, setTyped] = useState('')
  const [lit, setLit] = useState(0)
  const { groups, state } = useGroups(typed)
  const { data: user } = useQuery(selfQuery(api))
  const { data: project } = useQuery({ ...projectQuery(api, projectId ?? ''), enabled: projectId !== undefined })
  const count = groups.reduce((sum, { items }) => sum + items.length, 0)
  const type = (text: string) => {
    setTyped(text)
    setLit(0)
  }
  const take = (item: Item, apart: boolean) => {
    if ('run' in item) {
      close()
      item.run()
      return
    }
    const { href, label, keep, mono } = item
    if (keep && user) storeRecent(user.id, { href, label, ...(mono && { mono }) })
    if (apart) {
      window.open(href, '_blank', 'noopener')
      return
    }
    close()
    void router.navigate({ href })
  }
  return (
    <Box
      root={root}
      label="Search or jump to"
      place={project?.name}
      typed={typed}
      onType={type}
      groups={groups}
      lit={Math.min(lit, Math.max(count - 1, 0))}
      onLit={setLit}
      onTake={take}
      command={commandKey}
      empty={
        state === 'searching' ? (
          'Searching…'
        ) : (
          <>
            <strong>Not Found</strong>
            {state === 'failed'
              ? 'Projects, devices and releases could not be searched.'
              : 'No device, release, project, page or action has this name.'}
          </>
        )
      }
    />
  )
}
