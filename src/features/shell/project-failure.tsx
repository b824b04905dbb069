import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { FailureBox } from '../../system/failure-box'
import { Refused } from '../../system/guard'
import { lazyPart } from '../../system/lazy'
import { Page } from '../../ui/page'
import { MainArea } from './main-area'

const SideNav = lazyPart(() => import('./side-nav').then((part) => part.SideNav))
const BackNav = lazyPart(() => import('./side-nav').then((part) => part.BackNav))

/** A project that could not be entered: the way back stays in sight; of one that may not be opened here, the rest of it too. */
export const ProjectFailure = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  const again = () => {
    reset()
    void router.invalidate()
  }
  const side = <Suspense>{error instanceof Refused ? <SideNav /> : <BackNav />}</Suspense>
  return (
    <MainArea side={side}>
      <Page width="form">
        <div className={css({ pt: '24' })}>
          <FailureBox page error={error} onRetry={again} />
        </div>
      </Page>
    </MainArea>
  )
}
