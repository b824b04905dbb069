import type { SigningKey } from '../../../contract/keys'

/** What is signed: its file, its name in a sentence, and the option of `teasel keys sign`. */
export const documents = {
  manifest: { file: 'manifest', title: 'manifest', option: '--manifest' },
  key_list: { file: 'key-list', title: 'key list', option: '--key-list' },
} as const
export type SignedDocument = keyof typeof documents

/** The file with the bytes to sign: the pre-authentication encoding (PAE) of DSSE, which is the payload type and the payload with their lengths. */
export const fileToSign = (document: SignedDocument) => `${documents[document].file}.pae`

/** The command that signs this file and prints the signature in base 64. That of an ECDSA key is in DER, which the server accepts too. */
export const opensslCommand = (algorithm: SigningKey['algorithm'], document: SignedDocument): string =>
  algorithm === 'ed25519'
    ? `openssl pkeyutl -sign -inkey release.key.pem -rawin -in ${fileToSign(document)} | openssl base64 -A`
    : `openssl dgst -sha256 -sign release.key.pem ${fileToSign(document)} | openssl base64 -A`
