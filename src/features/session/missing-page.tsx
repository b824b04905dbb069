import { titles } from '../../../contract/errors'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { StatusPage } from './status-page'

/** F-10: the page of this address is gone and a reload did not bring it. No part of its own: that could be missing too. */
export const MissingPage = () => {
  const { chunkReload } = useSystem()
  return (
    <StatusPage
      title={titles.fallback}
      actions={
        <Button variant="primary" onClick={() => chunkReload.send({ type: 'reload.asked' })}>
          Reload now
        </Button>
      }
    >
      A part of the app is missing, and reloading did not help.
    </StatusPage>
  )
}
