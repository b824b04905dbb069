import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { DeviceHit, FoundHit, FoundProject, ReleaseHit } from '../../../../contract/overview/search'
import { searchEverywhereQuery, searchQuery } from '../../../api/queries/overview/search'
import { connectivityDisplay, releaseDisplay } from '../../../lib/status-display'
import { useAllowed } from '../../../system/scope/grants'
import { useRouteScope, scopeToPath } from '../../../system/scope/scope'
import { useSendCommand } from '../../../system/send-command'
import { useSystem } from '../../../system/system'
import { Icon } from '../../../ui/icon/icon'
import { Shape } from '../../../ui/layout/shape'
import { RelativeTime } from '../../../ui/text/time'
import type { Group, Item } from './items'

const pause = 120
const project = '/organizations/$organizationId/projects/$projectId'

/** The debounced text: not every letter causes a request. */
const usePaused = (text: string) => {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pause)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}

type Place = { organizationId: string; projectId: string }

const placeOf = ({ id, organization }: FoundProject): Place => ({
  organizationId: scopeToPath(organization?.public_id ?? null),
  projectId: id,
})

/** The results as items. `where`: the name of their project, if it is another one. */
const useItems = (q: string) => {
  const router = useRouter()
  const hrefOf = (page: 'update-events' | 'system-logs', place: Place, deviceId: string) =>
    router.buildLocation({ to: `${project}/devices/list/$deviceId/${page}`, params: { ...place, deviceId }, search: {} }).href
  const deviceItem = (hit: DeviceHit, place: Place, where?: string): Item => ({
    id: `device-${hit.id}`,
    label: hit.name,
    mono: true,
    lead: <Shape name={connectivityDisplay(hit.connectivity).shape} label={connectivityDisplay(hit.connectivity).word} />,
    note: (
      <>
        {where !== undefined && `${where} · `}
        {hit.version !== null && `${hit.version} · `}
        {hit.serial_number !== null && !hit.name.toLowerCase().includes(q.toLowerCase()) && `${hit.serial_number} · `}
        {hit.last_seen_at === null ? 'never seen' : <RelativeTime value={hit.last_seen_at} />}
      </>
    ),
    verb: 'Open',
    keep: true,
    href: hrefOf('update-events', place, hit.id),
  })
  const releaseItem = (hit: ReleaseHit, place: Place, where?: string): Item => ({
    id: `release-${hit.id}`,
    label: hit.display_version === null ? hit.name : `${hit.name} ${hit.display_version}`,
    lead: <Icon name="release" />,
    note: [where, `release ${hit.version}`, releaseDisplay(hit.state).word.toLowerCase()].filter(Boolean).join(' · '),
    verb: 'Open',
    keep: true,
    href: router.buildLocation({
      to: `${project}/releases/list/$releaseId/status`,
      params: { ...place, releaseId: hit.id },
      search: {},
    }).href,
  })
  const foundItem = ({ hit, project: found }: FoundHit): Item => {
    const place = placeOf(found)
    if (hit.kind === 'device') return deviceItem(hit, place, found.name)
    if (hit.kind === 'release') return releaseItem(hit, place, found.name)
    return {
      id: `project-${hit.id}`,
      label: hit.name,
      lead: <Icon name="chip" />,
      note: found.organization?.name ?? 'No Organization',
      verb: 'Open',
      keep: true,
      href: router.buildLocation({ to: `${project}/monitor`, params: place, search: {} }).href,
    }
  }
  return { hrefOf, deviceItem, releaseItem, foundItem }
}

type Hits = {
  /** Of the current project. */
  groups: Group[]
  /** Of the other projects. */
  elsewhere: Group[]
  /** Projects by name, without the current one. */
  projects: Item[]
  state: 'idle' | 'searching' | 'failed'
}

/**
 * Devices and releases, found by the server: those of the current project, with the pages of its first device and what the person may
 * do with it, then those of all other projects.
 */
export const useHits = (typed: string): Hits => {
  const { api } = useSystem()
  const { scope, projectId } = useRouteScope()
  const q = typed.trim()
  const asked = usePaused(q)
  const enabled = asked !== '' && q !== ''
  const here = useQuery({ ...searchQuery(api, projectId ?? '', asked), enabled: enabled && projectId !== undefined })
  const others = useQuery({ ...searchEverywhereQuery(api, projectId, asked), enabled })
  const { hrefOf, deviceItem, releaseItem, foundItem } = useItems(q)
  const router = useRouter()
  const mayCommand = useAllowed('device:remote_command')
  const mayManage = useAllowed('project:manage_devices')
  const { send } = useSendCommand()
  if (q === '') return { groups: [], elsewhere: [], projects: [], state: 'idle' }
  const place = { organizationId: scopeToPath(scope ?? null), projectId: projectId ?? '' }
  const hits = enabled ? (here.data ?? []) : []
  const found = enabled ? (others.data ?? []) : []
  const devices = hits.filter((hit) => hit.kind === 'device')
  const releases = hits.filter((hit) => hit.kind === 'release')
  const [first] = devices
  const pauseHref = (id: string) =>
    router.buildLocation({
      to: `${project}/devices/list/$deviceId/update-events`,
      params: { ...place, deviceId: id },
      search: { change: 'pause' },
    }).href
  const actions: Item[] = first
    ? [
        {
          id: 'device-why',
          label: 'Why is this device not updating?',
          lead: <Icon name="info" />,
          verb: 'Open',
          href: hrefOf('update-events', place, first.id),
        },
        {
          id: 'device-logs',
          label: 'Open System Logs',
          lead: <Icon name="log" />,
          note: 'live',
          verb: 'Open',
          href: hrefOf('system-logs', place, first.id),
        },
        ...(mayCommand
          ? [
              {
                id: 'device-check',
                label: 'Check now',
                lead: <Icon name="refresh" />,
                note: 'asks at the next check-in',
                verb: 'Send',
                run: () => void send(first.id, 'check_now'),
              } as const,
            ]
          : []),
        ...(mayManage
          ? [
              {
                id: 'device-pause',
                label: 'Pause updates…',
                lead: <Icon name="pause" />,
                verb: 'Choose',
                href: pauseHref(first.id),
              } as const,
            ]
          : []),
      ]
    : []
  const suffix = projectId === undefined ? '' : ' in other projects'
  return {
    groups: [
      { title: 'Devices', items: devices.map((hit) => deviceItem(hit, place)) },
      ...(first && devices.length <= 3 ? [{ title: `Actions on ${first.name}`, items: actions }] : []),
      { title: 'Releases', items: releases.map((hit) => releaseItem(hit, place)) },
    ],
    elsewhere: [
      { title: `Devices${suffix}`, items: found.filter(({ hit }) => hit.kind === 'device').map(foundItem) },
      { title: `Releases${suffix}`, items: found.filter(({ hit }) => hit.kind === 'release').map(foundItem) },
    ],
    projects: found.filter(({ hit }) => hit.kind === 'project').map(foundItem),
    state: here.isError || others.isError ? 'failed' : here.isFetching || others.isFetching || asked !== q ? 'searching' : 'idle',
  }
}
