import { endpoint, onObject, requires } from '../../core/endpoint'
import { RevocationStops } from '../../fleet/keys'

export const previewBundleRevocation = endpoint({
  method: 'GET',
  path: '/artifact_bundles/:bundleId/revocation',
  summary: 'Show which releases and rollouts would stop if a bundle was revoked now.',
  needs: requires(onObject('artifact_bundle', 'bundleId'), 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: RevocationStops,
})
