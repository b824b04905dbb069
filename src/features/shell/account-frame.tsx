import { Outlet } from '@tanstack/react-router'
import { nav } from 'styled-system/recipes'
import { AccountMenu } from './account-menu'
import { MainArea } from './main-area'

const Side = () => (
  <nav className={nav().side} aria-label="Account">
    <AccountMenu />
  </nav>
)

/** The pages of the account and the organizations, with their menu. */
export default function AccountFrame() {
  return (
    <MainArea side={<Side />}>
      <Outlet />
    </MainArea>
  )
}
