import type { AuditEntry } from '../../../contract/accounts/audit'
import type { IconName } from '../../ui/icon/icon'

const icons: Readonly<Record<string, IconName>> = {
  user: 'user',
  device: 'chip',
  enrollment_token: 'key',
  access_token: 'key',
  system: 'sliders',
  anonymous: 'user',
}

export const actorIcon = (kind: string): IconName => icons[kind] ?? 'user'

/** The display name; an actor without a name is shown by its kind. */
export const actorName = ({ name, email, kind }: AuditEntry['actor']): string =>
  name || email || (kind === 'anonymous' ? 'Not signed in' : kind.replace(/_/g, ' '))

/** Not a person: shown in mono. */
export const isMachine = ({ kind }: { kind: string }): boolean => kind !== 'user' && kind !== 'anonymous'

export const resultDisplay = {
  success: undefined,
  denied: { shape: 'warning', word: 'denied' },
  failure: { shape: 'error', word: 'failure' },
} as const satisfies Record<AuditEntry['result'], unknown>

export const results = [
  { value: 'success', label: 'success' },
  { value: 'denied', label: 'denied' },
  { value: 'failure', label: 'failure' },
] as const

/** The value of a field, on one line if it fits. */
export const valueText = (value: unknown): string | undefined => {
  if (value === null || value === undefined || value === '') return undefined
  if (typeof value === 'string') return value
  return JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ')
}
