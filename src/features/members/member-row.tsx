import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { Person } from '../../api/queries/accounts/members'
import { selfQuery } from '../../api/queries/accounts/self'
import { useSystem } from '../../system/system'
import { Avatar } from '../../ui/icon/avatar'
import * as Table from '../../ui/list/table'
import { DateTime, RelativeTime } from '../../ui/text/time'
import { ProjectRolesControl } from './project-roles-control'
import { RemoveControl } from './remove-control'
import { nameOf, RoleControl } from './role-control'

export const wideOnly = css({ hideBelow: 'xl' })
export const roomyOnly = css({ hideBelow: 'lg' })
const lead = css({
  display: 'flex',
  alignItems: 'center',
  gap: '6',
  minW: '0',
  '& > a': { minW: '0', overflow: 'hidden', textOverflow: 'ellipsis' },
})
// In a stacked row the address begins under the name.
const underName = css({ mdDown: { pl: '32' } })
const cut = css({ overflow: 'hidden', textOverflow: 'ellipsis' })
/** Aligns the text of a ghost button with the text of the page. */
const flushEnd = css({ display: 'inline-flex', mr: '-8' })
const you = css({ color: 'muted', flexShrink: '0' })
const one = '/organizations/$organizationId/projects/$projectId/members/list/$memberId' as const

/** In a personal project the name links to the guest; an organization has no page for a member. */
const Name = ({ person }: { person: Person }) => {
  const { organizationId = '', projectId } = useParams({ strict: false })
  const name = nameOf(person)
  if (projectId === undefined)
    return (
      <span className={cut} title={name}>
        {name}
      </span>
    )
  return (
    <Link to={one} params={{ organizationId, projectId, memberId: person.user.id }} className={link()} data-ink title={name}>
      {name}
    </Link>
  )
}

export const MemberRow = ({ person, place }: { person: Person; place: string }) => {
  const { api } = useSystem()
  const navigate = useNavigate()
  const { organizationId = '', projectId } = useParams({ strict: false })
  const { data: self } = useQuery(selfQuery(api))
  const { user } = person
  const open =
    projectId === undefined
      ? undefined
      : () => void navigate({ to: one, params: { organizationId, projectId, memberId: user.id } })
  return (
    <Table.Row {...(open && { onOpen: open })}>
      <Table.Cell at="lead">
        <span className={lead}>
          <Avatar email={user.email} image={user.image_url} />
          <Name person={person} />
          {self?.id === user.id && <span className={you}>you</span>}
        </span>
      </Table.Cell>
      <Table.Cell quiet at="sub" className={underName} title={user.email}>
        {user.email}
      </Table.Cell>
      <Table.Cell menu at="end">
        <RoleControl person={person} />
      </Table.Cell>
      <Table.Cell quiet className={wideOnly}>
        <DateTime value={person.joined_at} />
      </Table.Cell>
      <Table.Cell align="end" quiet className={roomyOnly}>
        <RelativeTime value={person.last_active_at} never="never" />
      </Table.Cell>
      <Table.Cell menu align="end" at="subEnd">
        <span className={flushEnd}>
          {'project_roles' in person && <ProjectRolesControl person={person} organizationId={organizationId} />}
          <RemoveControl person={person} place={place} />
        </span>
      </Table.Cell>
    </Table.Row>
  )
}
