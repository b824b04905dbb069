import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Release } from '../../../contract/updates/releases'
import { signingKeysQuery } from '../../api/queries/fleet/keys'
import { manifestQuery } from '../../api/queries/updates/releases'
import { groupFingerprint } from '../../lib/names'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'
import { ProofChip, ProofPart } from '../../ui/text/proof-chip'
import { checkEnvelope, type EnvelopeCheck } from './check-envelope'
import { findValidSignature } from './valid-signature'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId')

const unchecked = <ProofPart kind="warning">could not be checked</ProofPart>
const revoked = <ProofPart kind="error">revoked key</ProofPart>
const told = (verdict: EnvelopeCheck) => (
  <ProofPart kind={verdict.holds ? 'success' : 'error'}>{verdict.holds ? 'verified in this browser' : verdict.reason}</ProofPart>
)

/** The signature is verified in this browser, over the bytes that devices get. */
export const SignedBy = ({ release }: { release: Release }) => {
  const { api } = useSystem()
  const { projectId } = route.useParams()
  const signed = release.signatures.length > 0
  const registered = useQuery({ ...signingKeysQuery(api, projectId), enabled: signed })
  const keys = registered.data
  const valid = findValidSignature(release, keys ?? [])
  const signature = valid ?? release.signatures[0]
  // The server has no envelope for devices whose keys were all revoked.
  const manifest = useQuery({
    ...manifestQuery(api, release),
    enabled: keys !== undefined && valid !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const envelope = manifest.data
  const { data: verdict } = useQuery({
    queryKey: ['release', release.id, 'verdict', signature?.key_id, release.revision],
    queryFn: () => checkEnvelope(envelope ?? new ArrayBuffer(0), keys ?? [], signature?.key_id ?? ''),
    enabled: envelope !== undefined && keys !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!signature) return null
  const missing = [manifest, registered].filter(({ error, data }) => error && !data)
  return (
    <>
      <ProofChip icon="shieldok" verdict={!valid ? revoked : missing.length > 0 ? unchecked : verdict && told(verdict)}>
        Signed by <b>{signature.key_name}</b>{' '}
        <code title={groupFingerprint(signature.fingerprint)}>{groupFingerprint(signature.fingerprint, 12)}</code>
      </ProofChip>
      {missing.length > 0 && (
        <Button
          size="small"
          icon={<Icon name="refresh" size={14} />}
          onClick={() => missing.forEach((one) => void one.refetch())}
        >
          Try again
        </Button>
      )}
    </>
  )
}
