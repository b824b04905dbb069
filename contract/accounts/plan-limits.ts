import type { Plan } from './plans'

const GiB = 1024 ** 3

/** An organization keeps its audit log at least so long. */
export const minAuditDays = 30

/** Amounts only: no safety function depends on a plan. */
export const planLimits = {
  developer: {
    organizations: 1,
    projects: 3,
    devices_per_project: 25,
    members: 1,
    guests_per_project: 2,
    storage_bytes: 20 * GiB,
    log_days: 3,
    log_lines: 200_000,
    metrics_raw_days: 3,
    metrics_hourly_days: 30,
    audit_days: 90,
  },
  production: {
    organizations: 10,
    projects: 100,
    devices_per_project: 50_000,
    members: 200,
    guests_per_project: 200,
    storage_bytes: 1024 * GiB,
    log_days: 30,
    log_lines: 50_000_000,
    metrics_raw_days: 14,
    metrics_hourly_days: 365,
    audit_days: 365,
  },
} as const satisfies Record<Plan, Record<string, number>>
