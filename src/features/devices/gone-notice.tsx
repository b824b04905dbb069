import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import type { Device } from '../../../contract/fleet/devices'
import { auditLogQuery } from '../../api/queries/accounts/audit'
import { useSystem } from '../../system/system'
import { Callout } from '../../ui/layout/notice'
import { Skeleton } from '../../ui/layout/skeleton'
import { DateTime } from '../../ui/text/time'
import { restorableUntil } from './list/restorable-until'

const place = '/organizations/$organizationId/projects/$projectId/devices/list' as const
const ways = css({ display: 'flex', flexWrap: 'wrap', gap: '8', mt: '8' })
const verbs: Readonly<Record<string, string>> = { 'device.delete': 'deleted', 'device.move': 'moved to another project' }

/** By whom and when a device was deleted or moved elsewhere, as far as the reader may know, and how it comes back. */
export const GoneNotice = ({ device, deletedAt }: { device: Device; deletedAt: string | undefined }) => {
  const { api } = useSystem()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const asked = { target_kind: 'device', target_id: device.id, result: 'success' } as const
  const log = useInfiniteQuery(auditLogQuery(api, { projectId: device.project_id }, asked))
  if (log.isLoading) return <Skeleton />
  // It may have been deleted before, and restored.
  const entry = log.data?.pages
    .flatMap(({ entries }) => entries)
    .find(({ action, occurred_at }) => action in verbs && (deletedAt ?? occurred_at) === occurred_at)
  const params = { organizationId, projectId }
  const at = deletedAt ?? entry?.occurred_at
  const verb = verbs[deletedAt === undefined ? (entry?.action ?? '') : 'device.delete'] ?? 'deleted or moved to another project'
  const by = entry?.actor.name
  const look = button({ size: 'small' })
  return (
    <div role="alert">
      <Callout kind="warning">
        <strong>{device.name}</strong> was {verb}
        {by && ` by ${by}`}
        {at !== undefined && (
          <>
            {' '}
            on <DateTime value={at} />
          </>
        )}
        .
        {deletedAt !== undefined && (
          <>
            {' '}
            It can be restored until <DateTime value={restorableUntil(deletedAt)} />.
          </>
        )}
        <div className={ways}>
          {deletedAt !== undefined && (
            <Link to={`${place}/deleted`} params={params} className={look}>
              Deleted Devices
            </Link>
          )}
          <Link to={place} params={params} className={look}>
            Devices
          </Link>
        </div>
      </Callout>
    </div>
  )
}
