import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { Page, PageHead } from '../../ui/layout/page'
import { FailureBox } from './failure-box'
import { useRouteLabel } from '../page/route-label'

const alone = css({ pt: '24' })

/** A page that failed to load: its head stays, so that the user knows where they are; below it the error. */
export const FailedPage = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  const label = useRouteLabel()
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Page width="form">
      {label !== undefined && <PageHead title={label} />}
      <div className={label === undefined ? alone : undefined}>
        <FailureBox page headed={label !== undefined} error={error} onRetry={again} />
      </div>
    </Page>
  )
}
