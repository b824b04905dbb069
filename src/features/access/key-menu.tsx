import { useMutation } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import type { SigningKey } from '../../../contract/keys'
import { failureOf } from '../../api/failure'
import { retireSigningKeyMutation } from '../../api/mutations/keys'
import { useRefusal } from '../../system/grants'
import { fetchPart, lazyPart } from '../../system/lazy'
import { MoreMenu } from '../../system/more-menu'
import { notify } from '../../system/notify'
import { useSystem } from '../../system/system'

const RevokeKey = lazyPart(() => import('./revoke-key-dialog').then((part) => part.RevokeKeyDialog))

/** Ends the use of a key; neither step can be undone. */
export const KeyMenu = ({ signingKey, projectId }: { signingKey: SigningKey; projectId: string }) => {
  const { api, modals } = useSystem()
  const refused = useRefusal('project:manage_access')
  const [revoking, setRevoking] = useState(false)
  const { mutateAsync, isPending } = useMutation(retireSigningKeyMutation(api, projectId))
  const { name, state } = signingKey
  const retire = async () => {
    const { confirm } = await fetchPart(() => import('../../system/modals/confirm'))
    const question = {
      title: `Retire ${name}?`,
      text: 'It cannot sign new releases, and new configurations do not contain it. Releases that it has signed stay valid and their rollouts continue. A retired key cannot become active again.',
      accept: 'Retire',
      decline: 'Cancel',
      danger: true,
    }
    if (!(await confirm(modals, question))) return
    try {
      await mutateAsync(signingKey.id)
      void notify({ kind: 'success', text: `${name} was retired` })
    } catch (error) {
      void notify({ kind: 'error', text: failureOf(error)?.message ?? 'Nothing was changed' })
    }
  }
  return (
    <>
      <MoreMenu
        small
        label={`Actions of ${name}`}
        entries={[
          ...(state === 'active' || state === 'retiring' ? [{ value: 'retire', label: 'Retire…', danger: true } as const] : []),
          { value: 'revoke', label: 'Revoke…', danger: true },
        ]}
        onChoose={(entry) => (entry === 'retire' ? void retire() : setRevoking(true))}
        refused={refused}
        disabled={isPending}
      />
      <Suspense>
        {revoking && <RevokeKey signingKey={signingKey} projectId={projectId} onClose={() => setRevoking(false)} />}
      </Suspense>
    </>
  )
}
