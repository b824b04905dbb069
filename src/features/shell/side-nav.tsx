import { useQuery } from '@tanstack/react-query'
import { nav } from 'styled-system/recipes'
import { projectQuery } from '../../api/queries/projects'
import { usePlace } from '../../system/scope'
import { useSystem } from '../../system/system'
import { ProjectMenu } from './project-menu'

/** 170 px (§9). */
export const SideNav = () => {
  const { api } = useSystem()
  const { projectId } = usePlace()
  const { data: project } = useQuery({ ...projectQuery(api, projectId ?? ''), enabled: projectId !== undefined })
  return (
    <nav className={nav().side} aria-label="Project">
      <ProjectMenu title={project?.name} />
    </nav>
  )
}
