import { is } from 'superstruct'
import { AuditFilters } from '../../../contract/accounts/audit'

export type AuditSearch = { [K in keyof AuditFilters | 'entry']?: string }

const fields = Object.keys(AuditFilters.schema) as (keyof AuditFilters)[] // the keys of its own schema

/** The filters of the URL. Invalid values are ignored; the others count. */
export const readAuditSearch = (search: Record<string, unknown>): AuditFilters => {
  let kept: AuditFilters = {}
  for (const field of fields) {
    const one = { [field]: search[field] }
    if (search[field] !== undefined && is(one, AuditFilters)) kept = { ...kept, ...one }
  }
  return kept
}
