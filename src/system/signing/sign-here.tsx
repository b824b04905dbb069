import { useState } from 'react'
import { css } from 'styled-system/css'
import { fromBase64, toBase64 } from '../../../contract/device/bytes'
import { sign } from '../../../contract/device/dsse'
import { signingKeyFromPem } from '../../../contract/device/private-key'
import { Button } from '../../ui/button'
import { FileField } from '../../ui/form/file-field'
import type { SignProps } from './sign-outside'

/** The private key is used in the browser and not stored: only the signature is sent. */
export const SignHere = ({ document, toSign, keys, busy, refused, details, onSign }: SignProps) => {
  const [file, setFile] = useState<File>()
  const [wrong, setWrong] = useState<string>()
  const signNow = async () => {
    setWrong(undefined)
    const key = file && (await signingKeyFromPem(await file.text()))
    const payload = fromBase64(toSign.payload_base64)
    if (!key || !payload) return setWrong('This is not an unencrypted PKCS#8 key (Ed25519 or P-256)')
    const known = keys.find(({ fingerprint }) => fingerprint === key.publicKey.fingerprint)
    if (!known)
      return setWrong(
        document === 'manifest'
          ? 'The public key of this private key is not registered in this project'
          : 'Devices do not accept a key list by this key. Choose the file of a key that they trust',
      )
    const { signature } = await sign(key, toSign.payload_type, payload)
    onSign(known.id, toBase64(signature))
  }
  return (
    <>
      <FileField
        label="Private key file"
        required
        accept=".pem,.key"
        limitText="PKCS#8 PEM. Read in this page and never sent."
        error={wrong ?? details[0]?.message}
        onFilesChange={([chosen]) => {
          setFile(chosen)
          setWrong(undefined)
        }}
      />
      <Button
        variant="primary"
        className={css({ justifySelf: 'start' })}
        refused={refused}
        busy={busy}
        busyLabel="Signing..."
        disabled={file === undefined}
        onClick={() => void signNow()}
      >
        {document === 'manifest' ? 'Sign in this browser' : 'Sign and publish'}
      </Button>
    </>
  )
}
