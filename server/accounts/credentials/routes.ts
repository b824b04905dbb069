import type { Api } from '../../core/http/api'
import { activityRoutes } from './activity'
import { emailChangeRoutes } from './email-change'
import { passwordRoutes } from './password'
import { secondFactorRoutes } from './second-factor'

/** Endpoints for a person's own account. */
export const accountRoutes = (api: Api): void => {
  passwordRoutes(api)
  emailChangeRoutes(api)
  secondFactorRoutes(api)
  activityRoutes(api)
}
