import { useState } from 'react'
import { css } from 'styled-system/css'
import { fromBase64 } from '../../../contract/device/bytes'
import type { SigningKey } from '../../../contract/fleet/keys'
import type { FieldError } from '../../../contract/core/field-errors'
import type { ToSign } from '../../../contract/fleet/keys'
import { groupFingerprint } from '../../lib/names'
import { saveFile } from '../../lib/save-file'
import { Button } from '../../ui/button'
import { Code } from '../../ui/text/code'
import { SelectField } from '../../ui/form/select-field'
import { TextareaField } from '../../ui/form/text-field'
import { Icon } from '../../ui/icon/icon'
import { documents, fileToSign, opensslCommand, type SignedDocument } from './openssl-command'

export type SignProps = {
  document: SignedDocument
  /** Of the downloads, without an ending. */
  fileName: string
  toSign: ToSign
  keys: readonly SigningKey[]
  busy: boolean
  refused: string | undefined
  /** The server's errors for the last attempt. */
  details: readonly FieldError[]
  onSign: (keyId: string, signature: string) => void
}

const keyItems = (keys: readonly SigningKey[]) =>
  keys.map((key) => ({ value: key.id, label: `${key.name} · ${key.algorithm} ${groupFingerprint(key.fingerprint, 12)}` }))

const commandFor = (document: SignedDocument, fileName: string) =>
  `node teasel.mjs keys sign --key release.key.pem ${documents[document].option} ${fileName}.json`

const save = (name: string, base64: string, type: string) => saveFile(name, fromBase64(base64) ?? new Uint8Array(), type)

/** A name that is longer than its place ends in an ellipsis. */
const Download = ({ name, onClick }: { name: string; onClick: () => void }) => (
  <Button icon={<Icon name="dl" />} className={css({ justifySelf: 'start', maxW: 'full' })} title={name} onClick={onClick}>
    <span className={css({ overflow: 'hidden', textOverflow: 'ellipsis' })}>Download {name}</span>
  </Button>
)

/** Signing without the command line: the bytes to sign as a file, and a command for each kind of key. */
const WithOpenssl = ({ document, fileName, toSign, keys }: Pick<SignProps, 'document' | 'fileName' | 'toSign' | 'keys'>) => {
  const algorithms = [...new Set(keys.map(({ algorithm }) => algorithm))]
  return (
    <details className={css({ minW: '0' })}>
      <summary className={css({ textStyle: 'small', color: 'muted', cursor: 'pointer' })}>With openssl instead</summary>
      <div className={css({ display: 'grid', gap: '8', gridTemplateColumns: 'minmax(0, 1fr)', mt: '8' })}>
        <Download
          name={fileToSign(fileName)}
          onClick={() => save(fileToSign(fileName), toSign.to_sign_base64, 'application/octet-stream')}
        />
        {(algorithms.length === 0 ? (['ed25519'] as const) : algorithms).map((algorithm) => (
          <Code
            key={algorithm}
            label={`Command that signs with openssl (${algorithm})`}
            code={opensslCommand(algorithm, fileName)}
          />
        ))}
        <p className={css({ textStyle: 'small', color: 'muted' })}>
          Needs OpenSSL 3 or newer. {fileToSign(fileName)} is the {documents[document].title} with its type and length, which is
          what devices verify.
        </p>
      </div>
    </details>
  )
}

/** Three steps on a machine that has the key: copy the file there, sign it, paste the signature here. */
export const SignOutside = ({ document, fileName, toSign, keys, busy, refused, details, onSign }: SignProps) => {
  const [chosen, setKeyId] = useState<string>()
  // The keys may load after the form; a single one is selected automatically.
  const keyId = chosen ?? (keys.length === 1 ? keys[0]?.id : undefined)
  const [typed, setTyped] = useState('')
  // An error is shown until its field changes.
  const [tried, setTried] = useState({ keyId, signature: '' })
  // Base 64 may contain line breaks.
  const signature = typed.replace(/\s/g, '')
  const wrong = signature !== '' && fromBase64(signature) === null ? 'The signature must be base 64' : undefined
  const errorOf = (field: string) =>
    tried.keyId === keyId && tried.signature === signature ? details.find((one) => one.field === field)?.message : undefined
  return (
    <form
      className={css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried({ keyId, signature })
        if (keyId !== undefined) onSign(keyId, signature)
      }}
    >
      <Download name={`${fileName}.json`} onClick={() => save(`${fileName}.json`, toSign.payload_base64, 'application/json')} />
      <Code label={`Command that signs the ${documents[document].title}`} code={commandFor(document, fileName)} />
      <WithOpenssl
        document={document}
        fileName={fileName}
        toSign={toSign}
        keys={keyId === undefined ? keys : keys.filter(({ id }) => id === keyId)}
      />
      <SelectField
        label="Key"
        required
        items={keyItems(keys)}
        value={keyId}
        onValueChange={setKeyId}
        placeholder="Choose the key"
        error={errorOf('key_id')}
      />
      <TextareaField
        label="Signature"
        required
        mono
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        error={wrong ?? errorOf('signature_base64')}
        hint="The output of the command, in base 64."
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
        {document === 'manifest' ? 'Add signature' : 'Publish key list'}
      </Button>
    </form>
  )
}
