import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { AuditEntry } from '../../../contract/accounts/audit'

const project = '/organizations/$organizationId/projects/$projectId'
const wrap = css({ overflowWrap: 'anywhere' })

/** A link to the target, if it has a page and this entry did not delete it. */
export const TargetLink = ({ entry: { target, action, project_id: projectId } }: { entry: AuditEntry }) => {
  const { organizationId = '' } = useParams({ strict: false })
  const { kind, id } = target
  const name = target.name ?? id ?? '–'
  if (id === null || projectId === null || action.endsWith('.delete')) return <span className={wrap}>{name}</span>
  const params = { organizationId, projectId }
  const look = `${link()} ${wrap}`
  if (kind === 'device')
    return (
      <Link to={`${project}/devices/list/$deviceId`} params={{ ...params, deviceId: id }} className={look}>
        {name}
      </Link>
    )
  if (kind === 'release')
    return (
      <Link to={`${project}/releases/list/$releaseId`} params={{ ...params, releaseId: id }} className={look}>
        {name}
      </Link>
    )
  if (kind === 'rollout')
    return (
      <Link to={`${project}/releases/rollouts/$rolloutId`} params={{ ...params, rolloutId: id }} className={look}>
        {name}
      </Link>
    )
  if (kind === 'artifact_bundle')
    return (
      <Link to={`${project}/secure-boot/list/$artifactsBundleId`} params={{ ...params, artifactsBundleId: id }} className={look}>
        {name}
      </Link>
    )
  if (kind === 'tag')
    return (
      <Link to={`${project}/tags/list/$tagId/edit`} params={{ ...params, tagId: id }} className={look}>
        {name}
      </Link>
    )
  return <span className={wrap}>{name}</span>
}
