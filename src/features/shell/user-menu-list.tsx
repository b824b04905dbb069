import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useSystem } from '../../system/system'
import { type Theme, setTheme, getTheme } from '../../system/theme'
import { Icon } from '../../ui/icon/icon'
import * as Menu from '../../ui/overlay/menu'

const themes: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

type Props = { name: string; email: string; children: ReactNode }

/** §2: name, email, Organizations, Account, Sign Out; between them the theme. */
export const UserMenuList = ({ name, email, children }: Props) => {
  const { auth } = useSystem()
  const navigate = useNavigate()
  const [theme, setShownTheme] = useState(getTheme)
  const applyTheme = (value: string) => {
    const next = themes.find((one) => one.value === value)?.value ?? 'system'
    setShownTheme(next)
    setTheme(next)
  }
  const choose = (value: string) => {
    if (value === 'sign-out') auth.send({ type: 'signOut.asked' })
    else if (value === 'organizations') void navigate({ to: '/account/settings/organizations', search: true })
    else if (value === 'account') void navigate({ to: '/account', search: true })
  }
  return (
    <Menu.Root defaultOpen onSelect={({ value }) => choose(value)} positioning={{ placement: 'bottom-end', strategy: 'fixed' }}>
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
        <Menu.RadioItemGroup value={theme} onValueChange={({ value }) => applyTheme(value)}>
          <Menu.ItemGroupLabel>
            <small>Theme</small>
          </Menu.ItemGroupLabel>
          {themes.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value} closeOnSelect={false}>
              {label}
              <Menu.ItemIndicator>
                <Icon name="check" />
              </Menu.ItemIndicator>
            </Menu.RadioItem>
          ))}
        </Menu.RadioItemGroup>
        <Menu.Separator />
        <Menu.Item value="sign-out">
          <Icon name="back" />
          Sign Out
        </Menu.Item>
      </Menu.Content>
    </Menu.Root>
  )
}
