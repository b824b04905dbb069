import { useQuery } from '@tanstack/react-query'
import { nav } from 'styled-system/recipes'
import { projectQuery } from '../../api/queries/accounts/projects'
import { useRouteScope } from '../../system/scope/scope'
import { useSystem } from '../../system/system'
import { BackToProjects, ProjectMenu } from './project-menu'

/** 170 px (§9). */
export const SideNav = () => {
  const { api } = useSystem()
  const { projectId } = useRouteScope()
  const { data: project } = useQuery({ ...projectQuery(api, projectId ?? ''), enabled: projectId !== undefined })
  return (
    <nav className={nav().side} aria-label="Project">
      <ProjectMenu title={project?.name} />
    </nav>
  )
}

/** For a project that failed to load. It runs no queries: they would be cancelled when it unmounts. */
export const BackNav = () => (
  <nav className={nav().side} aria-label="Project">
    <BackToProjects />
  </nav>
)
