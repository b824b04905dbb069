import { useMatchRoute, useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { css } from 'styled-system/css'
import * as Drawer from '../../ui/drawer'
import { Wordmark } from '../../ui/mark'
import { usePlace } from '../../system/scope'
import { AccountMenu } from './account-menu'
import { ExternalLinks } from './external-links'
import { ProjectMenu } from './project-menu'

const list = css({ display: 'grid', gap: '2', py: '12' })
const links = css({ display: 'grid', borderTop: 'line', pt: '12' })
const link = css({ display: 'flex', alignItems: 'center', h: 'controlTouch', px: '8' })

type Props = { open: boolean; onOpenChange: (open: boolean) => void; switcher: ReactNode }

export const NavDrawer = ({ open, onOpenChange, switcher }: Props) => {
  const { projectId } = usePlace()
  const router = useRouter()
  const inAccount = useMatchRoute()({ to: '/account', fuzzy: true }) !== false
  // Whatever was chosen here, the page it leads to is what is wanted in sight.
  useEffect(() => router.subscribe('onBeforeNavigate', () => onOpenChange(false)), [router, onOpenChange])
  return (
    <Drawer.Root open={open} onOpenChange={(change) => onOpenChange(change.open)}>
      <Drawer.Panel title={<Wordmark />} side="start">
        {switcher}
        {projectId !== undefined && (
          <nav className={list} aria-label="Project">
            <ProjectMenu />
          </nav>
        )}
        {inAccount && (
          <nav className={list} aria-label="Account">
            <AccountMenu />
          </nav>
        )}
        <nav className={links} aria-label="Elsewhere">
          <ExternalLinks className={link} />
        </nav>
      </Drawer.Panel>
    </Drawer.Root>
  )
}
