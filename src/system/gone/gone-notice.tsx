import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import { type AuditScope, auditLogQuery } from '../../api/queries/accounts/audit'
import { restorableUntil } from '../../lib/restorable-until'
import { Callout } from '../../ui/layout/notice'
import { Skeleton } from '../../ui/layout/skeleton'
import { DateTime } from '../../ui/text/time'
import { useSystem } from '../system'

const ways = css({ display: 'flex', flexWrap: 'wrap', gap: '8', mt: '8' })
const look = button({ size: 'small' })
const project = '/organizations/$organizationId/projects/$projectId'

/** The list that an object was in, and what is said when nobody knows how it went away. */
const kinds = {
  device: { to: `${project}/devices/list`, label: 'Devices', guess: 'was deleted or moved to another project' },
  release: { to: `${project}/releases/list`, label: 'Releases', guess: 'was deleted' },
  artifact_bundle: { to: `${project}/secure-boot/list`, label: 'Secure Boot', guess: 'was deleted' },
  tag: { to: `${project}/tags/list`, label: 'Tags', guess: 'was deleted' },
} as const

const deletion = '.delete'
const move = 'device.move'
const isEnd = (action: string) => action.endsWith(deletion) || action === move

export type GoneObject = {
  /** As in the audit log. */
  kind: keyof typeof kinds
  id: string
  name: string
  /** Whose audit log says who deleted it, if one does. */
  log: AuditScope | undefined
}
type Props = GoneObject & {
  /** When a device was deleted that can be restored. */
  deletedAt?: string | undefined
}

/** By whom and when an object was deleted or moved elsewhere, as far as the reader may know, and how it comes back, if it does. */
export const GoneNotice = ({ kind, id, name, log: scope, deletedAt }: Props) => {
  const { api } = useSystem()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const log = useInfiniteQuery({
    ...auditLogQuery(api, scope ?? { projectId }, { target_kind: kind, target_id: id, result: 'success' }),
    enabled: scope !== undefined,
  })
  if (log.isLoading) return <Skeleton />
  // It may have been deleted before, and restored.
  const entry = log.data?.pages
    .flatMap(({ entries }) => entries)
    .find(({ action, occurred_at }) => isEnd(action) && (deletedAt ?? occurred_at) === occurred_at)
  const at = deletedAt ?? entry?.occurred_at
  const isDeleted = deletedAt !== undefined || entry?.action.endsWith(deletion) === true
  const { to, label, guess } = kinds[kind]
  const by = entry?.actor.name
  const params = { organizationId, projectId }
  return (
    <div role="alert">
      <Callout kind="warning">
        <strong>{name}</strong> {isDeleted ? 'was deleted' : entry ? 'was moved to another project' : guess}
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
        {isDeleted && deletedAt === undefined && ' It cannot be restored.'}
        <div className={ways}>
          {deletedAt !== undefined && (
            <Link to={`${project}/devices/list/deleted`} params={params} className={look}>
              Deleted Devices
            </Link>
          )}
          <Link to={to} params={params} className={look}>
            {label}
          </Link>
        </div>
      </Callout>
    </div>
  )
}
