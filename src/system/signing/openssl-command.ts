import type { SigningKey } from '../../../contract/fleet/keys'

/** What is signed: its name in a sentence, and the option of `teasel keys sign`. */
export const documents = {
  manifest: { title: 'manifest', option: '--manifest' },
  key_list: { title: 'key list', option: '--key-list' },
} as const
export type SignedDocument = keyof typeof documents

/** The file with the bytes to sign: the pre-authentication encoding (PAE) of DSSE, which is the payload type and the payload with their lengths. */
export const fileToSign = (file: string) => `${file}.pae`

/** The command that signs this file and prints the signature in base 64. That of an ECDSA key is in DER, which the server accepts too. */
export const opensslCommand = (algorithm: SigningKey['algorithm'], file: string): string =>
  algorithm === 'ed25519'
    ? `openssl pkeyutl -sign -inkey release.key.pem -rawin -in ${fileToSign(file)} | openssl base64 -A`
    : `openssl dgst -sha256 -sign release.key.pem ${fileToSign(file)} | openssl base64 -A`

/** A name for the files of one release or key list, safe in a command: the second download does not replace the first. */
export const signedFileName = (...parts: readonly (string | number)[]): string =>
  parts
    .join('-')
    .replace(/[^A-Za-z0-9.]+/g, '-')
    .slice(0, 100)
