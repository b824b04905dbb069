import type { ErrorComponentProps } from '@tanstack/react-router'
import { Suspense } from 'react'
import { nav } from 'styled-system/recipes'
import { FailedPage } from '../../system/failed-page'
import { ForbiddenRoute } from '../../system/guard'
import { lazyPart } from '../../system/lazy'
import { MainArea } from './main-area'

const SideNav = lazyPart(() => import('./side-nav').then((part) => part.SideNav))
const BackNav = lazyPart(() => import('./side-nav').then((part) => part.BackNav))

/** A project that could not be entered: the way back stays in sight; of one that may not be opened here, the rest of it too. */
export const ProjectFailure = (props: ErrorComponentProps) => (
  <MainArea
    side={
      // Its room is held: nothing moves when it comes.
      <Suspense fallback={<div className={nav().side} />}>
        {props.error instanceof ForbiddenRoute ? <SideNav /> : <BackNav />}
      </Suspense>
    }
  >
    <FailedPage {...props} />
  </MainArea>
)
