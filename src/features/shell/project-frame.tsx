import { Outlet } from '@tanstack/react-router'
import { projectQuery } from '../../api/queries/accounts/projects'
import type { LoaderArgs } from '../../system/scope/guard'
import { MainArea } from './main-area'
import { SideNav } from './side-nav'

/** Its name is in the title of its pages. */
export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  queryClient.ensureQueryData(projectQuery(api, params.projectId))

export default function ProjectFrame() {
  return (
    <MainArea side={<SideNav />}>
      <Outlet />
    </MainArea>
  )
}
