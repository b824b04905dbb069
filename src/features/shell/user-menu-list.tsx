import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSystem } from '../../system/system'
import { Icon } from '../../ui/icon'
import * as Menu from '../../ui/menu'

type Props = { name: string; email: string; children: ReactNode }

/** §2: name, email, Organizations, Account, Sign Out. */
export const UserMenuList = ({ name, email, children }: Props) => {
  const { auth } = useSystem()
  const navigate = useNavigate()
  const choose = (value: string) => {
    if (value === 'sign-out') auth.send({ type: 'signOut.asked' })
    else void navigate({ to: value === 'organizations' ? '/account/settings/organizations' : '/account', search: true })
  }
  return (
    <Menu.Root defaultOpen onSelect={({ value }) => choose(value)} positioning={{ placement: 'bottom-end' }}>
      <Menu.Trigger asChild>{children}</Menu.Trigger>
      <Menu.Content>
        <Menu.ItemGroup>
          <Menu.ItemGroupLabel>
            {name || email}
            {name && <small>{email}</small>}
          </Menu.ItemGroupLabel>
        </Menu.ItemGroup>
        <Menu.Separator />
        <Menu.Item value="organizations">
          <Icon name="org" />
          Organizations
        </Menu.Item>
        <Menu.Item value="account">
          <Icon name="user" />
          Account
        </Menu.Item>
        <Menu.Separator />
        <Menu.Item value="sign-out">
          <Icon name="back" />
          Sign Out
        </Menu.Item>
      </Menu.Content>
    </Menu.Root>
  )
}
