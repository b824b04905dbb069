import { Link } from '@tanstack/react-router'
import { cards } from 'styled-system/recipes'
import type { Project } from '../../../contract/accounts/projects'
import { formatCount } from '../../lib/amounts'
import { Status } from '../../ui/text/chip'
import { StackedBar } from '../../ui/chart/stacked-bar'
import { DateTime } from '../../ui/text/time'

export const ProjectCard = ({ project, organizationId }: { project: Project; organizationId: string }) => {
  const { id, name, description, counts, updated_at } = project
  const classes = cards()
  return (
    <li className={classes.card}>
      <h2 className={classes.title}>
        <Link to="/organizations/$organizationId/projects/$projectId" params={{ organizationId, projectId: id }}>
          {name}
        </Link>
      </h2>
      <p className={classes.text} data-none={description ? undefined : true}>
        {description || 'No description'}
      </p>
      <div className={classes.line}>
        <span>
          {counts.devices === 0 ? (
            'No devices'
          ) : (
            <>
              <b>{formatCount(counts.devices_online)}</b> of {formatCount(counts.devices)} online
            </>
          )}
        </span>
        {counts.devices_attention > 0 && (
          <Status shape="warning">
            {formatCount(counts.devices_attention)} {counts.devices_attention === 1 ? 'needs' : 'need'} attention
          </Status>
        )}
      </div>
      <div className={classes.bar}>
        <StackedBar
          label="Devices"
          parts={[{ label: 'online', count: counts.devices_online, kind: 'success' }]}
          total={Math.max(counts.devices, 1)}
        />
      </div>
      <div className={classes.foot}>
        <span>
          Updated <DateTime value={updated_at} />
        </span>
        {counts.open_rollouts > 0 && (
          <Status shape="running">
            {formatCount(counts.open_rollouts)} {counts.open_rollouts === 1 ? 'rollout' : 'rollouts'}
          </Status>
        )}
      </div>
    </li>
  )
}
