import { findPrivateKey, isPrivateKeyName } from '../formats/private-keys'
import type { ByteReader } from '../types'
import type { Findings, Part } from './findings'

/** Adds an error of the rule `private_key` if the file is or contains a private key: its bytes must be deleted. */
export const checkPrivateKey = async (findings: Findings, part: Part, file: ByteReader): Promise<boolean> => {
  const found = await findPrivateKey(file)
  if (found) {
    const { form, offset, length } = found
    findings.add(
      'error',
      'private_key',
      `The file contains ${form}. Keep it where it is used; the console stores public keys only`,
      part,
      { offset, length },
    )
    return true
  }
  if (isPrivateKeyName(part.fileName))
    findings.add(
      'warning',
      'private_key_file_name',
      'The file has the name of a private key, but no private key was found in it',
      part,
    )
  return false
}
