import type { ErrorComponentProps } from '@tanstack/react-router'
import { nav } from 'styled-system/recipes'
import { FailedPage } from '../../system/failure/failed-page'

/** The error boundary of a page without a frame. */
export const FullFailurePage = (props: ErrorComponentProps) => (
  <main className={nav().main}>
    <FailedPage {...props} />
  </main>
)
