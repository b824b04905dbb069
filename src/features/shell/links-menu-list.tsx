import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Icon } from '../../ui/icon/icon'
import * as Menu from '../../ui/overlay/menu'
import { useExternalLinks } from './external-links'

export const LinksMenuList = ({ children }: { children: ReactNode }) => {
  const elsewhere = useExternalLinks()
  return (
    <Menu.Root defaultOpen positioning={{ placement: 'bottom-end', strategy: 'fixed' }}>
      <Menu.Trigger asChild>{children}</Menu.Trigger>
      <Menu.Content>
        <Menu.Item value="binaries" asChild>
          <Link to="/download-binaries" search>
            <Icon name="dl" />
            Binaries
          </Link>
        </Menu.Item>
        {elsewhere.length > 0 && <Menu.Separator />}
        {elsewhere.map(([label, href]) => (
          <Menu.Item key={label} value={label} asChild>
            <a href={href} target="_blank" rel="noreferrer">
              <Icon name="ext" />
              {label}
            </a>
          </Menu.Item>
        ))}
      </Menu.Content>
    </Menu.Root>
  )
}
