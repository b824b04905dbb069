import type { SigningKey } from '../../../contract/keys'

/** The file with the bytes to sign: payload type and manifest with their lengths (DSSE), not the manifest alone. */
export const bytesFile = 'manifest.pae'

/** Prints the signature in base 64. For an ECDSA key it is DER, which the server accepts too. */
export const opensslCommand = (algorithm: SigningKey['algorithm']): string =>
  algorithm === 'ed25519'
    ? `openssl pkeyutl -sign -inkey release.key.pem -rawin -in ${bytesFile} | openssl base64 -A`
    : `openssl dgst -sha256 -sign release.key.pem ${bytesFile} | openssl base64 -A`
