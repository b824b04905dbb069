import { useMutation } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { KeyRotation } from '../../../../contract/fleet/key-lists'
import type { SigningKey } from '../../../../contract/fleet/keys'
import { replaceSigningKeyMutation } from '../../../api/mutations/fleet/keys'
import { pluralize } from '../../../lib/pluralize'
import { ChangeFailure } from '../../../system/failure/change-failure'
import { notKnownText } from '../../../system/form/held-request'
import { useRefusal } from '../../../system/scope/grants'
import { fetchPart, lazyPart } from '../../../system/page/lazy'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon/icon'
import { Panel, PanelSkeletons } from '../../../ui/layout/panel'
import { type RotationStep, rotationSteps } from './rotation-step'

const PublishKeyList = lazyPart(() => import('./publish-key-list').then((part) => part.PublishKeyList))
const AddKey = lazyPart(() => import('./key-dialogs').then((part) => part.AddKeyDialog))
const RetireKey = lazyPart(() => import('./key-dialogs').then((part) => part.RetireKeyDialog))
const RevokeKey = lazyPart(() => import('./key-dialogs').then((part) => part.RevokeKeyDialog))

const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const row = css({ display: 'flex', flexWrap: 'wrap', gap: '8', alignItems: 'center' })

type Props = {
  title: string
  step: RotationStep
  projectId: string
  keys: readonly SigningKey[]
  rotation: KeyRotation
}
type Open = { dialog: 'retire' | 'revoke'; key: SigningKey }

/** The current step, what it does on devices, and the way back. */
export const RotationPanel = ({ title, step, projectId, keys, rotation }: Props) => {
  const { api, modals } = useSystem()
  const refused = useRefusal('project:manage_access')
  const [adding, setAdding] = useState(false)
  const [open, setOpen] = useState<Open | null>(null)
  const { mutateAsync: keep, error, isPending } = useMutation(replaceSigningKeyMutation(api, projectId))
  const keepKey = async ({ id, name }: SigningKey) => {
    const { confirm } = await fetchPart(() => import('../../../system/modals/confirm'))
    const question = {
      title: `Keep ${name}?`,
      text: `The rotation ends, and ${name} is active again. Devices trust it as before. The new key stays in the project, and on devices that took a key list with it.`,
      accept: 'Keep',
      decline: 'Cancel',
    }
    if (await confirm(modals, question)) await keep({ signingKeyId: id, keep: true }).catch(() => undefined)
  }
  const old = keys.filter(({ state }) => state === 'retiring')
  const names = old.map(({ name }) => name).join(', ')
  const { total, trusting } = rotation.coverage
  const close = () => setOpen(null)
  const at = `Step ${rotationSteps.indexOf(step) + 1} of ${rotationSteps.length}${old.length > 0 ? `, replaces ${names}` : ''}`
  return (
    <Panel title={title} aside={at}>
      <div className={stack}>
        {step === 'create' && (
          <p>
            Create the key pair on your signing machine and add its public key. {names} signs releases until it is retired, and is
            needed to sign the key list.
          </p>
        )}
        {step === 'wait' && (
          <p>
            {pluralize(total - trusting, 'device')} of {total} {total - trusting === 1 ? 'does' : 'do'} not hold the key list yet:
            see the list below. If you retire {names} now, those that can take it do so at their next check-in; until then they
            refuse releases that only the new key has signed.
          </p>
        )}
        {step === 'end' && (
          <p>
            {total === 0 ? 'No device is active.' : `All ${pluralize(total, 'active device')} hold the key list.`} Retire {names},
            or revoke it if its private key may be known to others. Devices trust it until they take a key list without it, which
            is the next step.
          </p>
        )}
        <Suspense fallback={<PanelSkeletons />}>
          {(step === 'publish' || step === 'drop') && <PublishKeyList projectId={projectId} keys={keys} rotation={rotation} />}
        </Suspense>
        <div className={row}>
          {step === 'create' && (
            <Button variant="primary" icon={<Icon name="plus" size={14} />} refused={refused} onClick={() => setAdding(true)}>
              Add key
            </Button>
          )}
          {(step === 'wait' || step === 'end') &&
            old.map((key) => (
              <span key={key.id} className={row}>
                <Button refused={refused} onClick={() => setOpen({ dialog: 'retire', key })}>
                  Retire {key.name}…
                </Button>
                <Button refused={refused} onClick={() => setOpen({ dialog: 'revoke', key })}>
                  Revoke {key.name}…
                </Button>
              </span>
            ))}
          {old.map((key) => (
            <Button key={key.id} refused={refused} busy={isPending} busyLabel="Keeping..." onClick={() => void keepKey(key)}>
              Keep {key.name}…
            </Button>
          ))}
        </div>
        {old.length > 0 && (
          <p className={css({ textStyle: 'small', color: 'muted' })}>
            Keeping {names} ends the rotation: it is active again. Key lists that were published stay on devices.
          </p>
        )}
        <ChangeFailure error={error} unanswered={notKnownText} />
      </div>
      <Suspense>
        {adding && <AddKey projectId={projectId} onClose={() => setAdding(false)} />}
        {open?.dialog === 'retire' && <RetireKey signingKey={open.key} projectId={projectId} onClose={close} />}
        {open?.dialog === 'revoke' && <RevokeKey signingKey={open.key} projectId={projectId} onClose={close} />}
      </Suspense>
    </Panel>
  )
}
