import { useMutation } from '@tanstack/react-query'
import type { KeyRotation } from '../../../../contract/fleet/key-lists'
import type { SigningKey } from '../../../../contract/fleet/keys'
import { failureOf } from '../../../api/failure'
import { publishKeyListMutation } from '../../../api/mutations/fleet/keys'
import { pluralize } from '../../../lib/pluralize'
import { ChangeFailure } from '../../../system/failure/change-failure'
import { notKnownText } from '../../../system/form/held-request'
import { useRefusal } from '../../../system/scope/grants'
import { signedFileName } from '../../../system/signing/openssl-command'
import { SignForm } from '../../../system/signing/sign-form'
import { useSystem } from '../../../system/system'
import { InlineCode } from '../../../ui/text/code'
import { Callout } from '../../../ui/layout/notice'
import { isForReleases } from './rotation-step'
import { SignerReach } from './signer-reach'

type Props = { projectId: string; keys: readonly SigningKey[]; rotation: KeyRotation }
type Listed = KeyRotation['next']['removed']

const namesOf = (keys: Listed) => keys.map(({ name, fingerprint }) => name ?? fingerprint.slice(0, 16)).join(', ')

/** Why no list can be signed, and what helps. */
const Problem = ({ problem }: { problem: NonNullable<KeyRotation['next']['problem']> }) => (
  <Callout kind="error">
    {problem === 'no_key' && 'No signing key for releases is active. Add one under Access.'}
    {problem === 'too_many_keys' && 'A device holds at most 8 keys. Retire keys that are no longer used.'}
    {problem === 'no_signer' && (
      <>
        No key of the newest key list is left to sign the next one, and devices accept no other. On each device put the new keys
        into <InlineCode>public_keys</InlineCode> of its device.json, delete key-list.json in its persistent directory, and
        restart the agent.
      </>
    )}
  </Callout>
)

/** The next key list, signed by a key that devices trust now: by a command, or in this page. */
export const PublishKeyList = ({ projectId, keys, rotation: { newest, next, coverage } }: Props) => {
  const { api } = useSystem()
  const refused = useRefusal('project:manage_access')
  const { mutate, error, isPending } = useMutation(publishKeyListMutation(api, projectId))
  const details = failureOf(error)?.details ?? []
  const { removed, to_sign: toSign } = next
  const inForce = keys.filter((key) => (key.state === 'active' || key.state === 'retiring') && isForReleases(key))
  const signers = keys.filter(({ id }) => next.signers.includes(id))
  const usable = signers.filter(({ id }) => next.reach.some((one) => one.key_id === id && one.devices > 0))
  if (next.problem !== null || toSign === null) return <Problem problem={next.problem ?? 'no_signer'} />
  return (
    <>
      {newest && next.stranded > 0 && (
        <Callout kind="warning">
          {pluralize(next.stranded, 'device')} never {next.stranded === 1 ? 'takes' : 'take'} key list {newest.counter}: it is not
          signed with a key that {next.stranded === 1 ? 'this device trusts' : 'these devices trust'}. Publish the keys again,
          signed with one.
        </Callout>
      )}
      <p>
        Devices that take key list {next.counter} trust exactly {inForce.map(({ name }) => name).join(', ')}.
        {removed.length > 0 && ` They stop trusting ${namesOf(removed)} and refuse releases that only it has signed.`} Sign the
        list with a key that they trust now.
      </p>
      <SignerReach signers={signers} reach={next.reach} total={coverage.total} />
      <SignForm
        document="key_list"
        fileName={signedFileName('key-list', next.counter)}
        toSign={toSign}
        keys={usable.length > 0 ? usable : signers}
        busy={isPending}
        refused={refused}
        details={details}
        onSign={(key_id, signature_base64) => mutate({ payload_base64: toSign.payload_base64, key_id, signature_base64 })}
      />
      {details.length === 0 && <ChangeFailure error={error} unanswered={notKnownText} />}
    </>
  )
}
