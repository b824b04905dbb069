import { Outlet } from '@tanstack/react-router'
import { MainArea } from './main-area'
import { SideNav } from './side-nav'

export default function ProjectFrame() {
  return (
    <MainArea side={<SideNav />}>
      <Outlet />
    </MainArea>
  )
}
