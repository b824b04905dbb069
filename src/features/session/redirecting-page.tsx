import { titles } from '../../../contract/errors'
import { Plate } from './plate'

export const RedirectingPage = () => <Plate busy title={titles.redirecting} />
