import { enums, object, optional, string, type } from 'superstruct'
import { endpoint, onObject, publicAccess, requires } from '../../core/endpoint'
import { pattern, text } from '../../core/rules'
import { Id, Timestamp } from '../../core/shapes'
import { FusePlan } from './fuses'

/** What a person types to plan with a key whose private half is public. */
export const testKeyPhrase = 'write a test key'

const planQuery = {
  /** Compares with what this device has reported. */
  device_id: optional(Id),
  /** Plans for a part with nothing burned. */
  assume: optional(enums(['blank'])),
  /** `testKeyPhrase`, typed by a person. */
  test_keys: optional(text('Confirmation', { max: 64 })),
}

const read = requires(onObject('artifact_bundle', 'bundleId'), 'project:view')
const write = requires(onObject('artifact_bundle', 'bundleId'), 'project:update')

export const fusePlan = endpoint({
  method: 'GET',
  path: '/artifact_bundles/:bundleId/fuse_plan',
  summary: 'Get the steps that write a bundle into a part, and what each changes, for a device or a blank part.',
  needs: read,
  audit: 'none',
  rate: 'read',
  query: object(planQuery),
  answer: FusePlan,
})
export const fusePlanScript = endpoint({
  method: 'GET',
  path: '/artifact_bundles/:bundleId/fuse_plan/script',
  summary: 'Download the steps as a shell script. Needs the name of the bundle as confirmation.',
  needs: write,
  audit: 'bundle.download',
  rate: 'read',
  query: object({ ...planQuery, confirm: text('Name of the bundle', { max: 100 }) }),
  answer: 'text',
})
export const bundleLink = endpoint({
  method: 'POST',
  path: '/artifact_bundles/:bundleId/link',
  summary: 'Create a signed download link of the whole bundle, valid for 15 minutes.',
  needs: write,
  audit: 'bundle.download',
  rate: 'read',
  answer: type({ url: string(), expires_at: Timestamp }),
})
/** The link's signature replaces the session: a browser's download sends no session header. */
export const downloadBundle = endpoint({
  method: 'GET',
  path: '/bundle_downloads/:bundleId',
  summary: 'Download a bundle by a signed link: a tar file with manifest.json and every file. Accepts Range.',
  needs: publicAccess,
  audit: 'none',
  rate: 'read',
  query: object({
    exp: pattern('time', /^\d{10}$/, 'The link is incomplete'),
    sig: pattern('signature', /^[\w-]{43}$/, 'The link is incomplete'),
  }),
  answer: 'bytes',
})
