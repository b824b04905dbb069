import { titles } from '../../../contract/core/errors'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { StatusPage } from './status-page'

/** F-10: the code of this page is missing and a reload did not help. Not loaded separately: that chunk could be missing too. */
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
