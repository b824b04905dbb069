import { Suspense, useState } from 'react'
import type { SigningKey } from '../../../../contract/fleet/keys'
import { useRefusal } from '../../../system/scope/grants'
import { lazyPart } from '../../../system/page/lazy'
import { MoreMenu } from '../../../system/page/more-menu'

const RetireKey = lazyPart(() => import('./key-dialogs').then((part) => part.RetireKeyDialog))
const RevokeKey = lazyPart(() => import('./key-dialogs').then((part) => part.RevokeKeyDialog))

/** Ends the use of a key; neither step can be undone. */
export const KeyMenu = ({ signingKey, projectId }: { signingKey: SigningKey; projectId: string }) => {
  const refused = useRefusal('project:manage_access')
  const [revoking, setRevoking] = useState(false)
  const [retiring, setRetiring] = useState(false)
  const { name, state } = signingKey
  return (
    <>
      <MoreMenu
        small
        label={`Actions of ${name}`}
        entries={[
          ...(state === 'active' || state === 'retiring' ? [{ value: 'retire', label: 'Retire…', danger: true } as const] : []),
          { value: 'revoke', label: 'Revoke…', danger: true },
        ]}
        onChoose={(entry) => (entry === 'retire' ? setRetiring(true) : setRevoking(true))}
        refused={refused}
      />
      <Suspense>
        {retiring && <RetireKey signingKey={signingKey} projectId={projectId} onClose={() => setRetiring(false)} />}
        {revoking && <RevokeKey signingKey={signingKey} projectId={projectId} onClose={() => setRevoking(false)} />}
      </Suspense>
    </>
  )
}
