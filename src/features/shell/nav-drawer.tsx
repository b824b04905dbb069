import { useMatchRoute, useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { css } from 'styled-system/css'
import { useModal } from '../../system/modals/use-modal'
import * as Drawer from '../../ui/overlay/drawer'
import { Wordmark } from '../../ui/icon/mark'
import { useRouteScope } from '../../system/scope/scope'
import { useSystem } from '../../system/system'
import { Shape } from '../../ui/layout/shape'
import { AccountMenu } from './account-menu'
import { ExternalLinks } from './external-links'
import { GuideButton } from './guide-button'
import { ProjectMenu } from './project-menu'

const room = css({ display: 'flex', flexDirection: 'column', gap: '12' })
// The marker of the current page is at the edge of the screen.
const list = css({ display: 'grid', gap: '2', mx: '-8', '& a:is([aria-current=page], [data-current])': { bg: 'raisedHover' } })
const links = css({ display: 'grid', borderTop: 'line', pt: '8', mt: 'auto' })
const link = css({ display: 'flex', alignItems: 'center', gap: '8', h: 'controlTouch' })
const choice = css({
  '&:empty': { display: 'none' },
  '& button': { w: 'full', px: '12', border: 'strong', '& > span': { minW: '0' }, '& > :last-child': { ml: 'auto' } },
})
const foot = css({ display: 'flex', alignItems: 'center', gap: '8', textStyle: 'caption', color: 'muted' })
const guide = css({ w: 'full', flexShrink: '0' })

type Props = { onClose: () => void; switcher: ReactNode }

export const NavDrawer = ({ onClose, switcher }: Props) => {
  const { environment } = useSystem()
  const { projectId } = useRouteScope()
  const router = useRouter()
  const { close, root } = useModal('navigation', onClose)
  const inAccount = useMatchRoute()({ to: '/account', fuzzy: true }) !== false
  // Any navigation closes the drawer, also to the same page.
  useEffect(() => router.subscribe('onBeforeNavigate', close), [router, close])
  return (
    <Drawer.Root {...root}>
      <Drawer.Panel title={<Wordmark />} side="start">
        <div className={room}>
          <div className={choice}>{switcher}</div>
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
          <nav className={links} aria-label="More links">
            <ExternalLinks className={link} />
          </nav>
          <GuideButton className={guide} onUse={close} />
          {environment.name !== 'production' && (
            <p className={foot}>
              <Shape name="info" />
              {environment.name}
            </p>
          )}
        </div>
      </Drawer.Panel>
    </Drawer.Root>
  )
}
