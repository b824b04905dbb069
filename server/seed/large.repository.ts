import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../core/database/open'
import { maintainCounts } from '../fleet/devices/state/counts'
import { analyse } from '../fleet/telemetry/analyse.repository'

/** So much of a part is inserted. */
export type Progress = (part: string, done: number, of: number) => void

type Watched = { onProgress?: Progress; signal?: AbortSignal }
type Fleet = Watched & { projectId: string; devices: number; now: Date; trustedKeys?: readonly string[] }
type Telemetry = {
  hours: number
  logLines: number
  /** The first devices, which have all log lines; all devices, unless given. */
  logged?: number
  measured: number
}

/** Of the devices of a large fleet; their values follow from their numbers, so that two seeds of one size are the same. */
const models = ['gw-imx8m', 'gw-imx8m', 'cam-rk3566', 'hmi-am62x', 'sens-esp32s3']
const metrics = sql`(values ('cpu.usage_percent', '%', 35, 20), ('memory.used_percent', '%', 55, 8),
  ('storage.used_percent', '%', 40, 2), ('cpu.temperature_celsius', '°C', 52, 9)) as metric (name, unit, mean, swing)`

type Part = { name: string; count: number; atOnce: number; insert: (from: SQL, to: SQL) => SQL }

// A statement inserts so much that it takes a second at most: the server cancels longer ones, and a cancelled seed ends with one.
const insertPart = async (
  db: Database,
  { onProgress, signal }: Watched,
  { name, count, atOnce, insert }: Part,
): Promise<void> => {
  for (let from = 1; from <= count; from += atOnce) {
    signal?.throwIfAborted()
    const to = Math.min(count, from + atOnce - 1)
    await db.execute(insert(sql`${from}::int`, sql`${to}::int`))
    onProgress?.(name, to, count)
  }
}

// Ids ascend with the numbers of the devices.
const idOf = (projectId: string, n: SQL) =>
  sql`('01K' || upper(substr(md5(${projectId}::text), 1, 16)) || lpad((${n})::text, 7, '0'))`

// Devices do not enroll in the order of their names, so rows that follow each other in a list are apart in the table. The multiplier is
// a prime above every number of devices: each number occurs once.
const numberAt = (position: SQL, devices: number) => sql`(1 + ${position}::bigint * 2654435761 % ${devices}::int)::int`

/** Inserts the devices of a big fleet into a project, as rows that devices would leave. */
export const seedDevices = async (db: Database, fleet: Fleet): Promise<void> => {
  const { projectId, devices, now, trustedKeys = ['a'.repeat(64)] } = fleet
  const insert = (from: SQL, to: SQL) => sql`
    insert into devices (
      id, created_at, updated_at, revision, project_id, name, serial_number, hardware_model, lifecycle, enrollment,
      first_seen_at, last_seen_at, contact, enrolled_at, installed_version, installed_display_version, installed_name, installed_at,
      installed_confirmed, update_state, update_state_since, attributes, health_status, trusted_keys
    )
    select ${idOf(projectId, sql`n`)}, t, t, 1, ${projectId}, 'Device ' || lpad(n::text, 6, '0'), 'SN-' || n,
      (${sql.param(models)}::text[])[1 + n % 5], case when n % 500 = 0 then 'pending' else 'active' end, 'simulated',
      t, t - make_interval(secs => case when n % 40 = 0 then 40000 when n % 17 = 0 then 7000 else n % 3600 end),
      case when n % 40 = 0 then 'offline' when n % 17 = 0 then 'late' else 'online' end, t,
      1 + n % 7, '2.' || n % 7, 'Firmware 2.' || n % 7, t, true,
      (array['succeeded', 'succeeded', 'queued', 'installing', 'failed', null, null, null])[1 + n % 8], t,
      jsonb_build_object('os_name', 'Linux', 'kernel_version', '6.6.' || n % 40, 'cpu_count', 4, 'hostname', 'device-' || n),
      (array['healthy', 'healthy', 'healthy', 'healthy', 'healthy', 'healthy', 'healthy', 'warning', 'healthy', 'critical'])[1 + n % 10],
      ${sql.param([...trustedKeys])}::text[]
    from generate_series(${from}, ${to}) as position, lateral (select ${numberAt(sql`position`, devices)} as n) as numbered,
      (select ${now.toISOString()}::timestamptz as t) as instant`
  await insertPart(db, fleet, { name: 'devices', count: devices, atOnce: 1000, insert })
}

/**
 * Inserts what the devices of `seedDevices` would have sent: the newest values of all of them, log lines of the last day, charts of
 * the fleet over so many hours, and those of the first devices, `measured`, of which also the points of the last day.
 */
export const seedTelemetry = async (db: Database, fleet: Fleet & Telemetry): Promise<void> => {
  const { projectId, devices, now, hours, logLines, logged = devices, measured } = fleet
  const time = sql`${now.toISOString()}::timestamptz`
  const part = (name: string, count: number, atOnce: number, insert: Part['insert']) =>
    insertPart(db, fleet, { name, count, atOnce, insert })
  // A day is a wave; each device is a little ahead of the one before it.
  const valueAt = (at: SQL, n: SQL) =>
    sql`metric.mean + metric.swing * sin(extract(epoch from ${at})::float8 / 13751 + (${n} % 100)::float8 / 30)`

  await part(
    'newest values',
    devices,
    1000,
    (from, to) => sql`
      insert into latest_metrics (project_id, device_id, metrics, readings)
      select ${projectId}, ${idOf(projectId, sql`n`)}, jsonb_agg(jsonb_build_array(metric.name, metric.unit)),
        json_agg(json_build_array(${now.getTime()}::bigint, ${valueAt(time, sql`n`)}))
      from generate_series(${from}, ${to}) as n, ${metrics} group by n`,
  )
  const mostLines = Math.ceil(logLines / logged)
  await part(
    'log lines',
    logLines,
    5000,
    (from, to) => sql`
      insert into device_logs (project_id, device_id, sequence, ts_ms, received_at, level, unit, message, fields)
      select ${projectId}, ${idOf(projectId, sql`1 + (line - 1) % ${logged}::int`)}, sequence, extract(epoch from at)::bigint * 1000, at,
        (array[6, 6, 6, 6, 5, 6, 6, 4, 6, 3])[1 + line % 10], (array['mosquitto', 'app', 'kernel', 'sshd'])[1 + line % 4],
        'Client station-' || line % 97 || ' connected from 10.20.' || line % 256 || '.7:40123 (p2, c1, k60).', '{}'
      from generate_series(${from}, ${to}) as line,
        lateral (select 1 + (line - 1) / ${logged}::int as sequence) as place,
        lateral (select ${time} - (${mostLines}::int - sequence) * interval '1 day' / ${mostLines}::int as at) as moment`,
  )
  if (logLines > 0)
    await part(
      'state of logs',
      logged,
      5000,
      (from, to) => sql`
        insert into log_feeds (project_id, device_id, tokens, refilled_at, last_sequence, units)
        select ${projectId}, ${idOf(projectId, sql`n`)}, 0, ${time}, ${mostLines}::int, array['mosquitto', 'app', 'kernel', 'sshd']
        from generate_series(${from}, ${to}) as n`,
    )
  await part(
    'hours of the fleet',
    hours,
    12,
    (from, to) => sql`
      insert into fleet_metrics (project_id, name, step_s, at, n, sum, min, max, bins, counts)
      select ${projectId}, metric.name, step, at, devices, devices * middle, middle - 9.5, middle + 9.5,
        array(select sketch_bin(middle + off) from generate_series(-9, 9, 3) as off),
        array(select (devices * share / 100)::int from unnest(array[4, 12, 20, 28, 20, 12, 4]) as share)
      from generate_series(${from}, ${to}) as hour, unnest(array[60, 900, 3600]) as step, ${metrics},
        lateral (select date_bin('1 hour', ${time}, 'epoch') - (hour - 1) * interval '1 hour' as start) as begun,
        lateral generate_series(start, start + interval '59 minutes', make_interval(secs => step)) as at,
        lateral (select ${valueAt(sql`at`, sql`50`)} as middle, ${devices}::int * step / 60 as devices) as taken
      where at <= ${time}`,
  )
  const groups = sql`(
    select 'all' as kind, '' as value, 1 as share union all select 'tag', '', 1
    union all select 'model', model, count(*)::float8 / ${models.length}::int from unnest(${sql.param(models)}::text[]) as model group by 2
    union all select 'release', '2.' || n, 1.0 / 7 from generate_series(0, 6) as n
  ) as part (kind, value, share)`
  await part(
    'hours of groups',
    hours,
    6,
    (from, to) => sql`
      insert into group_metrics (project_id, name, kind, value, step_s, at, n, sum, min, max, bins, counts)
      select ${projectId}, metric.name, kind, value, step, at, devices, devices * middle, middle - 9.5, middle + 9.5,
        array(select sketch_bin(middle + off) from generate_series(-9, 9, 3) as off),
        array(select (devices * share / 100)::int from unnest(array[4, 12, 20, 28, 20, 12, 4]) as share)
      from generate_series(${from}, ${to}) as hour, unnest(array[300, 3600]) as step, ${metrics}, ${groups},
        lateral (select date_bin('1 hour', ${time}, 'epoch') - (hour - 1) * interval '1 hour' as start) as begun,
        lateral generate_series(start, start + interval '59 minutes', make_interval(secs => step)) as at,
        lateral (
          select ${valueAt(sql`at`, sql`50`)} + length(value) % 4 as middle, (${devices}::int * share * step / 60)::int as devices
        ) as taken
      where at <= ${time}`,
  )
  await part(
    'hours of devices',
    measured,
    4,
    (from, to) => sql`
      insert into metric_hours (project_id, device_id, name, at, n, sum, min, max)
      select ${projectId}, ${idOf(projectId, sql`n`)}, metric.name, at, 60, 60 * middle, middle - 2, middle + 2
      from generate_series(${from}, ${to}) as n, ${metrics},
        lateral (select date_bin('1 hour', ${time}, 'epoch') as ended) as hour,
        lateral generate_series(ended - ${hours}::int * interval '1 hour', ended - interval '1 hour', interval '1 hour') as at,
        lateral (select ${valueAt(sql`at`, sql`n`)} as middle) as taken`,
  )
  await part(
    'points of devices',
    measured,
    2,
    (from, to) => sql`
      insert into metric_points (project_id, device_id, name, at, value)
      select ${projectId}, ${idOf(projectId, sql`n`)}, metric.name, at, ${valueAt(sql`at`, sql`n`)}
      from generate_series(${from}, ${to}) as n, ${metrics},
        lateral generate_series(${time} - least(${hours}::int, 24) * interval '1 hour', ${time}, interval '1 minute') as at`,
  )
}

/** After rows were inserted by the thousand: statistics for the planner, and counts that contain them. */
export const settle = async (db: Database, now: Date): Promise<void> => {
  await analyse(db)
  await maintainCounts({ db, clock: () => now })
}
