import { device } from '../../../contract/fleet/devices'
import type { Endpoint } from '../../../contract/core/endpoint'
import { followEvents } from '../../../contract/overview/event-stream'
import { interstitials } from '../../../contract/accounts/interstitials'
import { organization } from '../../../contract/accounts/organization'
import { memberPermissions, organizations } from '../../../contract/accounts/organizations'
import { personalProjectPermissions, project } from '../../../contract/accounts/projects'
import { release } from '../../../contract/updates/releases'
import { uploads } from '../../../contract/updates/uploads'
import { self } from '../../../contract/accounts/users'
import type { Route as Place } from '../../support/routes'
import type { BrowserContext } from '../support/browser'
import { callOf } from '../gestures/request-script'

/** The frame of every page requests these, and without them there is no page. */
const frame: readonly Endpoint[] = [
  self,
  organizations,
  interstitials,
  memberPermissions,
  personalProjectPermissions,
  uploads,
  followEvents,
]
/** What a layout needs to show any of its children. */
const layouts: Readonly<Record<string, Endpoint>> = {
  $organizationId: organization,
  $projectId: project,
  $deviceId: device,
  $releaseId: release,
}

const layoutsAround = ({ parentRoute }: Place): Endpoint[] => {
  if (!parentRoute) return []
  const endpoint = layouts[parentRoute.fullPath?.split('/').at(-1) ?? '']
  return [...layoutsAround(parentRoute), ...(endpoint ? [endpoint] : [])]
}

/** Answers every read of the current page with 500, but not those of the frame, nor earlier ones. */
export const failReads = async (context: BrowserContext, api: string) => {
  let passing: readonly Endpoint[] | undefined
  let refused: string[] = []
  await context.route(
    (url) => url.origin === api,
    (route) => {
      const request = route.request()
      const passes = passing?.some((one) => callOf(one).is(request)) ?? true
      if (request.method() !== 'GET' || passes) return route.fallback()
      refused.push(new URL(request.url()).pathname)
      const error = { code: 'internal', message: 'Refused on the way', details: [], request_id: 'a-request-that-failed' }
      return route.fulfill({
        status: 500,
        headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' },
        json: { error },
      })
    },
  )
  return {
    at: (place: Place) => {
      passing = [...frame, ...layoutsAround(place)]
      refused = []
    },
    refused: () => refused,
  }
}
