import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Release } from '../../../contract/releases'
import { signingKeysQuery } from '../../api/queries/keys'
import { manifestQuery } from '../../api/queries/releases'
import { groupFingerprint } from '../../lib/names'
import { useSystem } from '../../system/system'
import { ProofChip, ProofPart } from '../../ui/proof-chip'
import { checkEnvelope } from './check-envelope'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId')

/** The signature is checked here, in the page, over the bytes that devices get: "verified" is a fact of this browser. */
export const SignedBy = ({ release }: { release: Release }) => {
  const { api } = useSystem()
  const { projectId } = route.useParams()
  const [signature] = release.signatures
  const signed = signature !== undefined
  const { data: envelope } = useQuery({ ...manifestQuery(api, release.id), enabled: signed, staleTime: Number.POSITIVE_INFINITY })
  const { data: keys } = useQuery({ ...signingKeysQuery(api, projectId), enabled: signed })
  const { data: verdict } = useQuery({
    queryKey: ['release', release.id, 'verdict', signature?.key_id],
    queryFn: () => checkEnvelope(envelope ?? new ArrayBuffer(0), keys ?? [], signature?.key_id ?? ''),
    enabled: envelope !== undefined && keys !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!signature) return null
  return (
    <ProofChip
      icon="shieldok"
      verdict={
        verdict && (
          <ProofPart kind={verdict.holds ? 'success' : 'error'}>
            {verdict.holds ? 'verified in this browser' : verdict.reason}
          </ProofPart>
        )
      }
    >
      Signed by <b>{signature.key_name}</b>{' '}
      <code title={groupFingerprint(signature.fingerprint)}>{groupFingerprint(signature.fingerprint, 12)}</code>
    </ProofChip>
  )
}
