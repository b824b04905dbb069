import { useState } from 'react'
import { css } from 'styled-system/css'
import { fromBase64 } from '../../../contract/device/bytes'
import type { SigningKey } from '../../../contract/keys'
import type { ToSign } from '../../../contract/release-signing'
import { groupFingerprint } from '../../lib/names'
import { saveFile } from '../../lib/save-file'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { SelectField } from '../../ui/form/select-field'
import { TextareaField } from '../../ui/form/text-field'
import { Icon } from '../../ui/icon'

export type SignProps = {
  toSign: ToSign
  keys: readonly SigningKey[]
  busy: boolean
  refused: string | undefined
  onSign: (keyId: string, signature: string) => void
}

export const keyItems = (keys: readonly SigningKey[]) =>
  keys.map((key) => ({ value: key.id, label: `${key.name} · ${key.algorithm} ${groupFingerprint(key.fingerprint, 12)}` }))

const command = 'node teasel-agent.mjs sign --key release.key.pem --manifest manifest.json'

/** Three steps on a machine that holds the key: take the manifest there, sign it, bring the signature back. */
export const SignOutside = ({ toSign, keys, busy, refused, onSign }: SignProps) => {
  const [chosen, setKeyId] = useState<string>()
  // The keys may come after the form; of one there is no choice.
  const keyId = chosen ?? (keys.length === 1 ? keys[0]?.id : undefined)
  const [typed, setTyped] = useState('')
  // Base 64 may come broken over lines.
  const signature = typed.replace(/\s/g, '')
  const wrong = signature !== '' && fromBase64(signature) === null ? 'The signature must be base 64' : undefined
  return (
    <form
      className={css({ display: 'grid', gap: '16' })}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (keyId !== undefined) onSign(keyId, signature)
      }}
    >
      <Button
        icon={<Icon name="dl" />}
        className={css({ justifySelf: 'start' })}
        onClick={() => saveFile('manifest.json', fromBase64(toSign.payload_base64) ?? new Uint8Array(), 'application/json')}
      >
        Download manifest.json
      </Button>
      <Code label="Command that signs the manifest" code={command} />
      <details>
        <summary className={css({ textStyle: 'small', color: 'muted', cursor: 'pointer', mb: '8' })}>
          With openssl instead
        </summary>
        <Code label="Command that signs with openssl" code={toSign.command} />
      </details>
      <SelectField
        label="Key"
        required
        items={keyItems(keys)}
        value={keyId}
        onValueChange={setKeyId}
        placeholder="Choose the key"
      />
      <TextareaField
        label="Signature"
        required
        mono
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={wrong}
        hint="What the command printed, in base 64."
      />
      <Button
        type="submit"
        variant="primary"
        className={css({ justifySelf: 'start' })}
        refused={refused}
        busy={busy}
        busyLabel="Verifying..."
        disabled={keyId === undefined || signature === '' || wrong !== undefined}
      >
        Add signature
      </Button>
    </form>
  )
}
