import { randomBytes } from 'node:crypto'
import { recoveryCodeCount } from '../../../../contract/accounts/account'
import type { Tx } from '../../../core/database/tx'
import { hashOf } from '../../../core/tokens/token'
import { deleteRecoveryCodes, insertRecoveryCodes, updateUsedRecoveryCode } from './recovery-codes.repository'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** 80 random bits in four groups: too many to guess from a hash. */
const createRecoveryCode = () =>
  Array.from(randomBytes(16), (byte) => alphabet[byte % 32])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-')

const hashed = (code: string) => hashOf(code.replaceAll('-', ''))

/** Replaces all recovery codes by ten new ones. Only this result contains them. */
export const replaceRecoveryCodes = async (tx: Tx, userId: string): Promise<string[]> => {
  const codes = Array.from({ length: recoveryCodeCount }, createRecoveryCode)
  await deleteRecoveryCodes(tx, userId)
  await insertRecoveryCodes(tx, userId, codes.map(hashed))
  return codes
}

/** Uses up a code; of two concurrent calls with the same code one succeeds. `code` without its dashes. */
export const redeemRecoveryCode = (tx: Tx, userId: string, code: string, now: Date): Promise<boolean> =>
  updateUsedRecoveryCode(tx, userId, hashed(code), now)
