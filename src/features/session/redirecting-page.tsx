import { titles } from '../../../contract/core/errors'
import { StatusPage } from './status-page'

export const RedirectingPage = () => <StatusPage busy title={titles.redirecting} />
