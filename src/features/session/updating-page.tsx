import { titles } from '../../../contract/errors'
import { Plate } from './plate'

/** §8: while the new version is fetched. */
export const UpdatingPage = () => (
  <Plate busy title={titles.updating}>
    {titles.newVersion}
  </Plate>
)
