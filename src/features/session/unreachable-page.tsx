import { titles } from '../../../contract/core/errors'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'
import { StatusPage } from './status-page'

/** The API host does not answer. The session is kept; the chart retries when the network is back. */
export const UnreachablePage = () => {
  const { auth } = useSystem()
  return (
    <StatusPage
      title={titles.fallback}
      actions={
        <Button variant="primary" icon={<Icon name="refresh" />} onClick={() => auth.send({ type: 'retry.asked' })}>
          Try again
        </Button>
      }
    >
      The control center cannot be reached at the moment. You stay signed in, and your devices keep running.
    </StatusPage>
  )
}
