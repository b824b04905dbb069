import type { Reader } from '../../core/reading/protocol'
import { findPrivateKey, type FoundPrivateKey } from '../secure-boot/formats/private-keys'

export type KeySearch = FoundPrivateKey | null

/** Searches a file for a private key in a thread. */
export const findPrivateKeyInFile: Reader<undefined, KeySearch> = async (_, { files: [file] }) =>
  (file && (await findPrivateKey(file))) ?? null
