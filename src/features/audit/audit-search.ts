import { is } from 'superstruct'
import { AuditFilters } from '../../../contract/audit'

export type AuditSearch = { [K in keyof AuditFilters | 'entry']?: string }

const fields = Object.keys(AuditFilters.schema) as (keyof AuditFilters)[] // the keys of its own schema

/** What the address narrows the log to. A value that is none of the filter is left out; the others count. */
export const readAuditSearch = (search: Record<string, unknown>): AuditFilters => {
  let kept: AuditFilters = {}
  for (const field of fields) {
    const one = { [field]: search[field] }
    if (search[field] !== undefined && is(one, AuditFilters)) kept = { ...kept, ...one }
  }
  return kept
}
