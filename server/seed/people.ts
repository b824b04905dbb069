import { randomBytes } from 'node:crypto'
import { users as table, credentials } from '../accounts/schema/people'
import type { Tx } from '../core/database/tx'
import { newRow } from '../core/database/row'
import type { Passwords } from '../core/passwords/passwords'

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

export const insertUser = async (tx: Tx, { name, email }: { name: string; email: string }, now: Date): Promise<string> => {
  const row = { ...newRow(now), email, fullName: name, pricingPlan: 'production' as const }
  await tx.insert(table).values(row)
  return row.id
}

export const insertPassword = async (tx: Tx, passwords: Passwords, userId: string, password: string, now: Date) =>
  tx.insert(credentials).values({ userId, passwordHash: await passwords.hash(password), changedAt: now })
