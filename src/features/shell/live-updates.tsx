import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { followProject } from '../../system/live/follow-project'
import { useSystem } from '../../system/system'

/** While a page of a project is open, its lists follow the project's events. */
export const LiveUpdates = () => {
  const system = useSystem()
  const { projectId } = useParams({ strict: false })
  useEffect(() => (projectId === undefined ? undefined : followProject(system, projectId)), [system, projectId])
  return null
}
