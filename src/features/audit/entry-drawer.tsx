import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { AuditEntry } from '../../../contract/accounts/audit'
import type { AuditScope } from '../../api/queries/accounts/audit'
import { projectsQuery } from '../../api/queries/accounts/projects'
import { formatExact } from '../../lib/dates'
import { groupFingerprint } from '../../lib/names'
import { useSystem } from '../../system/system'
import { Status } from '../../ui/text/chip'
import { Diff } from '../../ui/text/code'
import { CopyableId } from '../../ui/text/copyable-id'
import { CopyButton } from '../../ui/text/copy-button'
import * as Drawer from '../../ui/overlay/drawer'
import { IconButton } from '../../ui/icon/icon-button'
import { Pairs } from '../../ui/layout/facts'
import { Actor } from './audit-row'
import { resultDisplay, valueText } from './audit-display'
import { TargetLink } from './target-link'
import { useRecomputed } from './use-recomputed'

const mono = css({ textStyle: 'mono', overflowWrap: 'anywhere' })
const line = css({ display: 'flex', alignItems: 'center', columnGap: '8', minW: '0', flexWrap: 'wrap' })
const section = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })
const steps = css({ display: 'flex', gap: '8', ml: 'auto' })
const heading = css({ textStyle: 'heading' })

const verdicts = {
  waiting: { shape: 'running', words: 'Recomputing in this browser' },
  equal: { shape: 'success', words: 'Recomputed in this browser, equal' },
  different: { shape: 'error', words: 'Recomputed in this browser, different' },
  unable: { shape: 'none', words: 'This browser cannot recompute the hash' },
} as const

const Hash = ({ value }: { value: string }) => (
  <span className={line}>
    <code className={mono} title={value}>
      {groupFingerprint(value, 12)} … {value.slice(-4)}
    </code>
    <CopyButton value={value} label="Copy hash" />
  </span>
)

/** The project of an entry in the log of its organization; a deleted one has only its id. */
const EntryProject = ({ organizationId, projectId }: { organizationId: string; projectId: string }) => {
  const { api } = useSystem()
  const { data: projects } = useQuery(projectsQuery(api, organizationId))
  const project = projects?.find(({ id }) => id === projectId)
  if (!project) return <CopyableId value={projectId} label="Copy project id" />
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/auditLog"
      params={{ organizationId, projectId }}
      className={link()}
    >
      {project.name}
    </Link>
  )
}

type Props = {
  entry: AuditEntry
  scope: AuditScope
  onClose: () => void
  onNewer: (() => void) | undefined
  onOlder: (() => void) | undefined
}

/** All fields of an entry, its changes, and whether its hash matches them. */
export const EntryDrawer = ({ entry, scope, onClose, onNewer, onOlder }: Props) => {
  const verdict = verdicts[useRecomputed(entry)]
  const [opener] = useState(() => document.activeElement)
  // A drawer beside the list does not give the focus back by itself.
  useEffect(
    () => () => {
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus({ preventScroll: true })
    },
    [opener],
  )
  const look = resultDisplay[entry.result]
  const { actor, target, credential } = entry
  const facts = [
    { label: 'Action', value: <code className={mono}>{entry.action}</code> },
    { label: 'Result', value: <Status shape={look?.shape ?? 'success'}>{look?.word ?? entry.result}</Status> },
    { label: 'When', value: formatExact(new Date(entry.occurred_at_ms)) },
    {
      label: 'Actor',
      value: (
        <span className={line}>
          <Actor entry={entry} />
          {actor.email !== null && actor.email !== actor.name && <span className={css({ color: 'muted' })}>{actor.email}</span>}
          {actor.id !== null && (
            <Link to="." search={(kept) => ({ ...kept, actor_id: actor.id ?? undefined, entry: undefined })} className={link()}>
              Filter by this actor
            </Link>
          )}
        </span>
      ),
    },
    {
      label: 'Target',
      value: (
        <span className={line}>
          <TargetLink entry={entry} />
          {target.id !== null && (
            <Link
              to="."
              search={(kept) => ({
                ...kept,
                target_id: target.id ?? undefined,
                target_kind: target.kind ?? undefined,
                entry: undefined,
              })}
              className={link()}
            >
              Filter by this target
            </Link>
          )}
        </span>
      ),
    },
    ...('organizationId' in scope && entry.project_id !== null
      ? [{ label: 'Project', value: <EntryProject {...scope} projectId={entry.project_id} /> }]
      : []),
    {
      label: 'Credential',
      value: (
        <span className={line}>
          {credential.kind.replace(/_/g, ' ')} {credential.name}
          {credential.id !== null && <CopyableId value={credential.id} label="Copy credential id" length={26} />}
        </span>
      ),
    },
    { label: 'Address', value: <code className={mono}>{entry.source_ip ?? '–'}</code> },
    { label: 'Client', value: entry.user_agent ?? '–' },
    {
      label: 'Request',
      value: (
        <span className={line}>
          <CopyableId value={entry.request_id} label="Copy request id" length={40} />
        </span>
      ),
    },
    ...(entry.reason === null ? [] : [{ label: 'Reason', value: entry.reason }]),
  ]
  return (
    <Drawer.Root open modal={false} closeOnInteractOutside={false} onOpenChange={({ open }) => !open && onClose()}>
      <Drawer.Panel
        beside
        title={`Entry ${entry.sequence}`}
        actions={
          <span className={steps}>
            <IconButton icon="up" label="Newer entry" variant="ghost" hint={false} disabled={!onNewer} onClick={onNewer} />
            <IconButton icon="down" label="Older entry" variant="ghost" hint={false} disabled={!onOlder} onClick={onOlder} />
          </span>
        }
      >
        <Pairs facts={facts} />
        {entry.changes.length > 0 && (
          <section className={section}>
            <h3 className={heading}>Changes</h3>
            <Diff
              label="Changes"
              lines={entry.changes.map(({ field, before, after }) => ({
                path: field,
                before: valueText(before),
                after: valueText(after),
              }))}
            />
          </section>
        )}
        <section className={section}>
          <h3 className={heading}>Chain</h3>
          <Pairs
            facts={[
              { label: 'Previous', value: <Hash value={entry.prev_hash} /> },
              { label: 'This', value: <Hash value={entry.hash} /> },
            ]}
          />
          <Status shape={verdict.shape}>{verdict.words}</Status>
        </section>
      </Drawer.Panel>
    </Drawer.Root>
  )
}
