import { Link } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import type { Expiration } from '../../contract/overview/expirations'
import { type ExpirationScope, expirationsQuery } from '../api/queries/overview/expirations'
import { paces } from '../api/refresh'
import { formatAhead, parseTime } from '../lib/dates'
import { Button } from '../ui/button'
import { Status } from '../ui/text/chip'
import { Freshness } from './refresh/freshness'
import { Panel, PanelBody, PanelRow, PanelSkeletons } from '../ui/layout/panel'
import * as Table from '../ui/list/table'
import { DateTime, useNow } from '../ui/text/time'
import { FailureBox } from './failure/failure-box'
import { refusalOf } from './scope/grants'
import { useList } from './list/list'
import { useSystem } from './system'

const words: Record<Expiration['kind'], string> = {
  signing_key: 'Signing key',
  access_token: 'Access token',
  enrollment_token: 'Enrollment token',
  invite: 'Invite',
  manifest: 'Manifest of a release',
  certificate: 'Certificate for secure boot',
  subscription: 'Subscription',
}

/** What the linked page does. */
const actions: Record<Exclude<Expiration['kind'], 'manifest'>, string> = {
  signing_key: 'Replace',
  access_token: 'Rotate',
  enrollment_token: 'Renew',
  invite: 'Send again',
  certificate: 'Replace',
  subscription: 'Renew',
}

const actionOf = ({ kind, link }: Expiration) =>
  kind === 'manifest' ? (link.endsWith('/status') ? 'Reopen' : 'New release') : actions[kind]

const shapes = { expired: 'error', critical: 'error', warning: 'warning', info: 'waiting' } as const

const narrowOnly = css({ hideFrom: 'md' })

const Left = ({ expires_at, severity }: Expiration) => {
  const text = formatAhead(parseTime(expires_at), useNow())
  return <Status shape={shapes[severity]}>{severity === 'expired' ? 'Expired' : text}</Status>
}

const Renew = ({ row }: { row: Expiration }) => {
  const { name, link, renewable, required_permission: needed } = row
  const [path = '', query] = link.split('?')
  const action = actionOf(row)
  const label = `${action}: ${name}`
  return renewable ? (
    <Link
      to={path}
      search={Object.fromEntries(new URLSearchParams(query))}
      className={button({ size: 'small' })}
      aria-label={label}
    >
      {action}
    </Link>
  ) : (
    <Button size="small" aria-label={label} refused={refusalOf(needed ? [needed] : []) ?? 'You cannot renew this'}>
      {action}
    </Button>
  )
}

/** What expires within 30 days or has expired lately, by date, each with the action that renews it. */
export const ExpirationsPanel = ({ scope }: { scope: ExpirationScope }) => {
  const { api } = useSystem()
  const list = useList(expirationsQuery(api, scope), { rows: (page) => page.expirations, pace: paces.list })
  const ofProject = 'project_id' in scope
  return (
    <Panel flush title="Expirations" aside={<Freshness query={list.query} />}>
      {list.rows.length === 0 &&
        (list.error ? (
          <PanelBody>
            <FailureBox error={list.error} onRetry={list.retry} />
          </PanelBody>
        ) : (
          list.isPending && <PanelSkeletons rows={1} />
        ))}
      {list.isEmpty && <PanelRow>Nothing expires within 30 days.</PanelRow>}
      {list.rows.length > 0 && (
        <Table.Root caption="Expirations" auto scroll stack>
          <Table.Head>
            <Table.Th>Name</Table.Th>
            <Table.Th>Kind</Table.Th>
            {!ofProject && <Table.Th>Project</Table.Th>}
            <Table.Th>Expires</Table.Th>
            <Table.Th>Time left</Table.Th>
            <Table.Th aria-label="Actions" />
          </Table.Head>
          <Table.Body>
            {list.rows.map((row) => (
              <Table.Row key={row.id}>
                <Table.Cell at="lead">{row.name}</Table.Cell>
                <Table.Cell quiet at="sub">
                  {words[row.kind]}
                  {!ofProject && row.project && <span className={narrowOnly}>, {row.project.name}</span>}
                </Table.Cell>
                {!ofProject && <Table.Cell quiet>{row.project?.name ?? '–'}</Table.Cell>}
                <Table.Cell>
                  <DateTime value={row.expires_at} />
                </Table.Cell>
                <Table.Cell at="subEnd">
                  <Left {...row} />
                </Table.Cell>
                <Table.Cell menu align="end" at="end">
                  <Renew row={row} />
                </Table.Cell>
              </Table.Row>
            ))}
          </Table.Body>
        </Table.Root>
      )}
      {list.hasMore && (
        <PanelBody>
          <Button size="small" busy={list.isLoadingMore} onClick={list.loadMore}>
            Show more
          </Button>
        </PanelBody>
      )}
    </Panel>
  )
}
