import type { ErrorComponentProps } from '@tanstack/react-router'
import { Suspense } from 'react'
import { nav } from 'styled-system/recipes'
import { FailedPage } from '../../system/failure/failed-page'
import { ForbiddenRoute } from '../../system/scope/guard'
import { lazyPart } from '../../system/page/lazy'
import { MainArea } from './main-area'

const SideNav = lazyPart(() => import('./side-nav').then((part) => part.SideNav))
const BackNav = lazyPart(() => import('./side-nav').then((part) => part.BackNav))

/** A project that failed to load: the link back stays visible; for a forbidden page also the rest of the menu. */
export const ProjectFailure = (props: ErrorComponentProps) => (
  <MainArea
    side={
      // Its space is reserved, so that nothing shifts.
      <Suspense fallback={<div className={nav().side} />}>
        {props.error instanceof ForbiddenRoute ? <SideNav /> : <BackNav />}
      </Suspense>
    }
  >
    <FailedPage {...props} />
  </MainArea>
)
