import { useQuery } from '@tanstack/react-query'
import { nav } from 'styled-system/recipes'
import { projectQuery } from '../../api/queries/projects'
import { usePlace } from '../../system/scope'
import { useSystem } from '../../system/system'
import { Shape } from '../../ui/shape'
import { ProjectMenu } from './project-menu'

/** 170 px (§9). The environment is named unless it is production (R18). */
export const SideNav = () => {
  const { api, environment } = useSystem()
  const { projectId } = usePlace()
  const { data: project } = useQuery({ ...projectQuery(api, projectId ?? ''), enabled: projectId !== undefined })
  const classes = nav()
  return (
    <nav className={classes.side} aria-label="Project">
      <ProjectMenu title={project?.name} />
      {environment.name !== 'production' && (
        <p className={classes.foot}>
          <Shape name="info" />
          {environment.name}
        </p>
      )}
    </nav>
  )
}
