import { randomBytes } from 'node:crypto'
import { insertUser } from '../accounts/users/repository'
import type { Tx } from '../core/database/tx'

export const account = { email: 'demo@teasel.example', name: 'Ines Quist' } as const

/** The other members: they only have a name and a role, and nobody can sign in as them. */
export const colleagues = [
  { name: 'Mara Feldt', email: 'mara.feldt@hedgerow.example', role: 'admin' },
  { name: 'Tomasz Wilk', email: 'tomasz.wilk@hedgerow.example', role: 'developer' },
  { name: 'Aiko Sato', email: 'aiko.sato@hedgerow.example', role: 'operator' },
  { name: 'Ravi Nair', email: 'ravi.nair@hedgerow.example', role: 'auditor' },
] as const

/** 96 random bits in groups that are easy to type from a terminal. */
export const createPassword = (): string => (randomBytes(12).toString('hex').match(/.{4}/g) ?? []).join('-')

export const createUser = async (tx: Tx, { name, email }: { name: string; email: string }, now: Date): Promise<string> => {
  const user = await insertUser(tx, { email, fullName: name, pricingPlan: 'production' }, now)
  if (!user) throw new Error(`the demo needs ${email}, which has an account`)
  return user.id
}
