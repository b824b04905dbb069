import type { ErrorComponentProps } from '@tanstack/react-router'
import { nav } from 'styled-system/recipes'
import { FailedPage } from '../../system/failed-page'

/** The boundary of a page that no frame stands around. */
export const WholeFailurePage = (props: ErrorComponentProps) => (
  <main className={nav().main}>
    <FailedPage {...props} />
  </main>
)
