import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import type { SigningKey } from '../../../../contract/fleet/keys'
import { replaceSigningKeyMutation } from '../../../api/mutations/fleet/keys'
import { ChangeFailure } from '../../../system/failure/change-failure'
import { notKnownText } from '../../../system/form/held-request'
import { useRefusal } from '../../../system/scope/grants'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { SelectField } from '../../../ui/form/select-field'
import { Panel } from '../../../ui/layout/panel'
import { isForReleases } from './rotation-step'

const stack = css({ display: 'grid', gap: '16', maxW: 'form', justifyItems: 'start' })

/** Chooses the key to replace. */
export const StartRotation = ({ projectId, keys }: { projectId: string; keys: readonly SigningKey[] }) => {
  const { api } = useSystem()
  const refused = useRefusal('project:manage_access')
  const active = keys.filter((key) => key.state === 'active' && isForReleases(key))
  const [chosen, setChosen] = useState<string>()
  const keyId = active.find(({ id }) => id === chosen)?.id ?? (active.length === 1 ? active[0]?.id : undefined)
  const { mutate, error, isPending } = useMutation(replaceSigningKeyMutation(api, projectId))
  return (
    <Panel title="Replace a signing key">
      <div className={stack}>
        <p>
          The new key reaches devices in a key list, which a key that they trust has signed. They take it at a check-in, also when
          they were offline for several rotations. The old key signs releases until you retire it.
        </p>
        {active.length === 0 ? (
          <p>Not Found. Add a signing key under Access first.</p>
        ) : (
          <>
            <SelectField
              label="Key to replace"
              required
              items={active.map(({ id, name }) => ({ value: id, label: name }))}
              value={keyId}
              onValueChange={setChosen}
              placeholder="Choose the key"
            />
            <Button
              variant="primary"
              refused={refused}
              busy={isPending}
              busyLabel="Saving..."
              disabled={keyId === undefined}
              onClick={() => keyId !== undefined && mutate({ signingKeyId: keyId })}
            >
              Replace key
            </Button>
          </>
        )}
        <ChangeFailure error={error} unanswered={notKnownText} />
      </div>
    </Panel>
  )
}
