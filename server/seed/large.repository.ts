import { sql } from 'drizzle-orm'
import type { Database } from '../core/database/open'
import { maintainCounts } from '../fleet/devices/counts'
import { analyse } from '../fleet/telemetry/analyse.repository'

type Large = { projectId: string; devices: number; now: Date; hours?: number; trustedKeys?: readonly string[] }

const atOnce = 5000
const models = ['gw-imx8m', 'gw-imx8m', 'cam-rk3566', 'hmi-am62x', 'sens-esp32s3']

/**
 * Inserts a big fleet into one project in seconds: rows as devices would leave them, generated inside the database. Ids are
 * ULIDs of one millisecond; names, states and values follow from the number of the device, so that two seeds of one size are
 * the same.
 */
export const seedLarge = async (
  db: Database,
  { projectId, devices, now, hours = 24, trustedKeys = ['a'.repeat(64)] }: Large,
): Promise<void> => {
  const time = now.toISOString()
  // A few thousand at once: no statement may take longer than the server allows.
  for (let from = 1; from <= devices; from += atOnce)
    await db.execute(sql`
    insert into devices (
      id, created_at, updated_at, revision, project_id, name, serial_number, hardware_model, lifecycle, enrollment,
      first_seen_at, last_seen_at, contact, enrolled_at, installed_version, installed_display_version, installed_name, installed_at,
      installed_confirmed, update_state, update_state_since, attributes, health_status, trusted_keys
    )
    select '01K' || lpad(n::text, 23, '0'), t, t, 1, ${projectId}, 'Device ' || lpad(n::text, 6, '0'), 'SN-' || n,
      (${sql.param(models)}::text[])[1 + n % 5], case when n % 500 = 0 then 'pending' else 'active' end, 'simulated',
      t, t - make_interval(secs => case when n % 40 = 0 then 40000 when n % 17 = 0 then 7000 else n % 3600 end),
      case when n % 40 = 0 then 'offline' when n % 17 = 0 then 'late' else 'online' end, t,
      1 + n % 7, '2.' || n % 7, 'Firmware 2.' || n % 7, t, true,
      (array['succeeded', 'succeeded', 'queued', 'installing', 'failed', null, null, null])[1 + n % 8], t,
      jsonb_build_object('os_name', 'Linux', 'kernel_version', '6.6.' || n % 40, 'cpu_count', 4, 'hostname', 'device-' || n),
      (array['healthy', 'healthy', 'healthy', 'healthy', 'healthy', 'healthy', 'healthy', 'warning', 'healthy', 'critical'])[1 + n % 10],
      ${sql.param([...trustedKeys])}::text[]
    from generate_series(${from}::int, ${Math.min(devices, from + atOnce - 1)}::int) as n, (select ${time}::timestamptz as t) as instant`)
  await db.execute(sql`
    insert into fleet_metrics (project_id, name, step_s, at, n, sum, min, max, bins, counts)
    select ${projectId}, name, step, minute, ${devices}::int, ${devices}::float8 * 50, 1, 99,
      array(select 560 + b from generate_series(1, 120) as b), array(select 1 + ${devices}::int / 120 from generate_series(1, 120))
    from generate_series(${time}::timestamptz - make_interval(hours => ${hours}::int), ${time}::timestamptz, interval '1 minute') as raw,
      unnest(array[60, 900, 3600]) as step,
      lateral (select date_bin(make_interval(secs => step), raw, 'epoch') as minute) as cut,
      unnest(array['cpu.usage_percent', 'cpu.temperature_celsius', 'memory.used_percent', 'storage.used_percent']) as name
    on conflict do nothing`)
  await analyse(db)
  await maintainCounts({ db, clock: () => now })
}
