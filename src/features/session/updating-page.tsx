import { useSelector } from '@xstate/react'
import { titles } from '../../../contract/core/errors'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { StatusPage } from './status-page'

/** §8: during the reload to a new version. A reload without a result can be repeated. */
export const UpdatingPage = () => {
  const { chunkReload } = useSystem()
  const hanging = useSelector(chunkReload, (snapshot) => snapshot.hasTag('hanging'))
  const again = (
    <Button variant="primary" onClick={() => chunkReload.send({ type: 'reload.asked' })}>
      Reload now
    </Button>
  )
  return (
    <StatusPage busy title={titles.updating} {...(hanging && { actions: again })}>
      {titles.newVersion}
    </StatusPage>
  )
}
