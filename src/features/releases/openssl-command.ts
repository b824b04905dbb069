import type { SigningKey } from '../../../contract/keys'

/** The file with the bytes to sign: the pre-authentication encoding (PAE) of DSSE, which is the payload type and the manifest with their lengths. */
export const fileToSign = 'manifest.pae'

/** The command that signs this file and prints the signature in base 64. That of an ECDSA key is in DER, which the server accepts too. */
export const opensslCommand = (algorithm: SigningKey['algorithm']): string =>
  algorithm === 'ed25519'
    ? `openssl pkeyutl -sign -inkey release.key.pem -rawin -in ${fileToSign} | openssl base64 -A`
    : `openssl dgst -sha256 -sign release.key.pem ${fileToSign} | openssl base64 -A`
