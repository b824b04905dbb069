import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet, useMatch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { failureOf } from '../../api/failure'
import { deviceQuery } from '../../api/queries/fleet/devices'
import { every, paces } from '../../api/refresh'
import { healthDisplay, lifecycleDisplay } from '../../lib/status-display'
import { BackLink } from '../../system/page/back'
import type { LoaderArgs } from '../../system/scope/guard'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { RefreshFailed } from '../../system/refresh/refresh-failed'
import { Chip } from '../../ui/text/chip'
import { FactStrip } from '../../ui/layout/facts'
import { Banner } from '../../ui/layout/notice'
import { Page, PageHead } from '../../ui/layout/page'
import { tabClass, TabLinks } from '../../ui/layout/tab-links'
import { DeviceActions } from './actions/device-actions'
import { factsOf } from './details/device-facts'
import { contactDisplay } from './list/contact-display'
import { DeviceStateBanner } from './device-state-banner'
import { EditDevice } from './form/edit-device-link'
import { WhyChip } from './list/why-chip'

const GoneDevice = lazyPart(() => import('./gone-device').then((part) => part.GoneDevice))
const RevokedBanner = lazyPart(() => import('./revoked-banner').then((part) => part.RevokedBanner))

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId')
const place = '/organizations/$organizationId/projects/$projectId/devices/list' as const

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'deviceId'>) =>
  queryClient.ensureQueryData(deviceQuery(api, params.deviceId))

/** One device: its state, its software, and its history. */
export default function DevicePage() {
  const { api } = useSystem()
  const params = route.useParams()
  const query = useSuspenseQuery({
    ...deviceQuery(api, params.deviceId),
    refetchInterval: every(paces.fleet),
  })
  const { data: device } = query
  // The plain-text page of the same summaries belongs to this tab.
  const asText = useMatch({ from: `${place}/$deviceId/log-summaries-plaintext`, shouldThrow: false, select: () => true })
  const contact = contactDisplay(device)
  const health = healthDisplay(device.health.status)
  const lifecycle = lifecycleDisplay(device.lifecycle)
  const crumbs = [
    <BackLink key="list" to={place} params={params}>
      Devices
    </BackLink>,
    <code key="name">{device.name}</code>,
  ]
  // What was read before is no longer so, and nothing of it can be done. It is asked for again: it may be restored.
  if (failureOf(query.error)?.status === 404)
    return (
      <Page>
        <PageHead crumbs={crumbs} title={device.name} mono />
        <Suspense>
          <GoneDevice device={device} />
        </Suspense>
      </Page>
    )
  return (
    <Page>
      <PageHead
        crumbs={crumbs}
        title={device.name}
        mono
        chips={
          <>
            <Chip shape={contact.shape}>{contact.word}</Chip>
            {device.lifecycle !== 'active' && lifecycle.word !== contact.word && (
              <Chip shape={lifecycle.shape}>{lifecycle.word}</Chip>
            )}
            {device.health.status !== 'unknown' && <Chip shape={health.shape}>{health.word}</Chip>}
            {device.lifecycle === 'active' && <WhyChip device={device} />}
            {device.quarantine && <Chip shape="warning">Quarantined: {device.quarantine.reason}</Chip>}
          </>
        }
        actions={
          <>
            <EditDevice />
            <DeviceActions device={device} />
          </>
        }
      />
      <RefreshFailed query={query} />
      <DeviceStateBanner device={device} />
      {device.lifecycle === 'active' && device.installed && device.installed_revoked && (
        <Suspense>
          <RevokedBanner device={device} installed={device.installed} reason={device.installed_revoked.reason} />
        </Suspense>
      )}
      {device.token_sharing && (
        <Banner kind="warning">
          {device.token_sharing.by === 'boot'
            ? 'Two devices use this token: an earlier start of the client has checked in again.'
            : 'The token of this device is used from two addresses alternately.'}{' '}
          Last check-ins from {device.token_sharing.addresses.join(', ')}. If the token was copied, issue a new one under Details.
        </Banner>
      )}
      <FactStrip facts={factsOf(device)} />
      <TabLinks label="Device">
        <Link to={`${place}/$deviceId/update-events`} params={params} className={tabClass()}>
          Update Events
        </Link>
        <Link to={`${place}/$deviceId/details`} params={params} className={tabClass()}>
          Details
        </Link>
        <Link to={`${place}/$deviceId/metrics`} params={params} className={tabClass()}>
          Metrics
        </Link>
        <Link to={`${place}/$deviceId/commands`} params={params} className={tabClass()}>
          Commands
        </Link>
        <Link to={`${place}/$deviceId/system-logs`} params={params} className={tabClass()}>
          System Logs
        </Link>
        <Link to={`${place}/$deviceId/log-summaries`} params={params} className={tabClass()} aria-current={asText}>
          Log Summaries
        </Link>
      </TabLinks>
      <Outlet />
    </Page>
  )
}
