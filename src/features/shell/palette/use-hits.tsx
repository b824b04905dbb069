import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { DeviceHit, ReleaseHit } from '../../../../contract/search'
import { searchQuery } from '../../../api/queries/search'
import { connectivityDisplay, releaseDisplay } from '../../../lib/status-display'
import { useRouteScope, scopeToPath } from '../../../system/scope'
import { useSystem } from '../../../system/system'
import { Icon } from '../../../ui/icon'
import { Shape } from '../../../ui/shape'
import { RelativeTime } from '../../../ui/time'
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

type Hits = { groups: Group[]; state: 'idle' | 'searching' | 'failed' }

/** Devices and releases of the current project, found by the server; with the pages of the first device. */
export const useHits = (typed: string): Hits => {
  const { api } = useSystem()
  const router = useRouter()
  const { scope, projectId = '' } = useRouteScope()
  const q = typed.trim()
  const asked = usePaused(q)
  const enabled = projectId !== '' && asked !== '' && q !== ''
  const { data, isFetching, isError } = useQuery({ ...searchQuery(api, projectId, asked), enabled })
  if (projectId === '' || q === '') return { groups: [], state: 'idle' }
  const place = { organizationId: scopeToPath(scope ?? null), projectId }
  const deviceHref = (page: 'update-events' | 'system-logs', deviceId: string) =>
    router.buildLocation({ to: `${project}/devices/list/$deviceId/${page}`, params: { ...place, deviceId }, search: {} }).href
  const deviceItem = ({ id, name, serial_number: serial, connectivity, last_seen_at: seen, version }: DeviceHit): Item => ({
    id: `device-${id}`,
    label: name,
    mono: true,
    lead: <Shape name={connectivityDisplay(connectivity).shape} label={connectivityDisplay(connectivity).word} />,
    note: (
      <>
        {version !== null && `${version} · `}
        {serial !== null && !name.toLowerCase().includes(q.toLowerCase()) && `${serial} · `}
        {seen === null ? 'never seen' : <RelativeTime value={seen} />}
      </>
    ),
    verb: 'Open',
    keep: true,
    href: deviceHref('update-events', id),
  })
  const releaseItem = ({ id, name, version, display_version: named, state }: ReleaseHit): Item => ({
    id: `release-${id}`,
    label: named === null ? name : `${name} ${named}`,
    lead: <Icon name="release" />,
    note: `release ${version} · ${releaseDisplay(state).word.toLowerCase()}`,
    verb: 'Open',
    keep: true,
    href: router.buildLocation({
      to: `${project}/releases/list/$releaseId/status`,
      params: { ...place, releaseId: id },
      search: {},
    }).href,
  })
  const hits = enabled ? (data ?? []) : []
  const devices = hits.filter((hit) => hit.kind === 'device')
  const releases = hits.filter((hit) => hit.kind === 'release')
  const [first] = devices
  const actions: Item[] = first
    ? [
        {
          id: 'device-why',
          label: 'Why is this device not updating?',
          lead: <Icon name="info" />,
          verb: 'Open',
          href: deviceHref('update-events', first.id),
        },
        {
          id: 'device-logs',
          label: 'Open System Logs',
          lead: <Icon name="log" />,
          note: 'live',
          verb: 'Open',
          href: deviceHref('system-logs', first.id),
        },
      ]
    : []
  return {
    groups: [
      { title: 'Devices', items: devices.map(deviceItem) },
      ...(first && devices.length <= 3 ? [{ title: `Actions on ${first.name}`, items: actions }] : []),
      { title: 'Releases', items: releases.map(releaseItem) },
    ],
    state: isError ? 'failed' : isFetching || asked !== q ? 'searching' : 'idle',
  }
}
