import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Page } from '../../ui/page'
import { css } from 'styled-system/css'
import { nav } from 'styled-system/recipes'
import { FailureBox } from '../../system/failure-box'

/** The boundary of every page: the catalogue's title, what it means, the way out, the request id. */
export const FailurePage = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Page width="form">
      <div className={css({ pt: '24' })}>
        <FailureBox page error={error} onRetry={again} />
      </div>
    </Page>
  )
}

/** The same where no frame stands around the page. */
export const WholeFailurePage = (props: ErrorComponentProps) => (
  <main className={nav().main}>
    <FailurePage {...props} />
  </main>
)
