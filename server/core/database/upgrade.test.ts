import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient } from './clients'
import { createDatabase, type TestDatabase } from '../../../tests/support/database'
import { root } from '../root'
import { migrate } from './migrate'

const migrations = join(root, 'server/core/database/migrations')

/** The first state that databases in use can have. Its files are fixed: decision 30. */
const firstState = {
  '0000_tables': 'bc9c59311ce7c550bb495bcfbb6777996942d168516a31f578af35a11e16b4c3',
  '0001_rules': 'b48e314325bdca7a9057311573c64242b329e91a55df3e67e52573189b87b37a',
}

type Journal = { entries: { tag: string }[] }

const readJournal = async (): Promise<Journal> => JSON.parse(await readFile(join(migrations, 'meta/_journal.json'), 'utf8'))

let directory: string
let database: TestDatabase

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-upgrade-'))
  database = await createDatabase({ bare: true })
})
afterEach(async () => {
  await database.drop()
  await rm(directory, { recursive: true, force: true })
})

const copyStates = async (tags: readonly string[]) => {
  await mkdir(join(directory, 'meta'))
  for (const tag of tags) await cp(join(migrations, `${tag}.sql`), join(directory, `${tag}.sql`))
  const journal = await readJournal()
  const entries = journal.entries.filter(({ tag }) => tags.includes(tag))
  await writeFile(join(directory, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }))
}

/** Copies the migrations before the one with this name. */
const copyStatesBefore = async (name: string) => {
  const tags = (await readJournal()).entries.map(({ tag }) => tag)
  await copyStates(
    tags.slice(
      0,
      tags.findIndex((tag) => tag.endsWith(name)),
    ),
  )
}

const query = async (text: string) => {
  const client = createClient({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

// Written in SQL: the program's own functions know the present schema only.
const rowsOfFirstState = `
insert into users (id, created_at, updated_at, email) values ('user-1', now(), now(), 'ada@grid.example');
insert into organizations (id, created_at, updated_at, public_id, name, plan, settings, created_by)
  values ('organization-1', now(), now(), 'grid', 'Grid', 'developer', '{}', 'user-1');
insert into members (organization_id, user_id, base_role, joined_at) values ('organization-1', 'user-1', 'owner', now());
insert into projects (id, created_at, updated_at, organization_id, name, settings)
  values ('project-1', now(), now(), 'organization-1', 'Gateways', '{}');
insert into devices (id, created_at, updated_at, project_id, name, serial_number, hardware_model, lifecycle, enrollment)
  values ('device-1', now(), now(), 'project-1', 'gw-1', 'gw-1', 'gw-imx8m', 'accepted', 'token');
`

it('the migrations of the first state are never edited', async () => {
  const hashes = await Promise.all(
    Object.keys(firstState).map(async (tag) => {
      const text = await readFile(join(migrations, `${tag}.sql`))
      return [tag, createHash('sha256').update(text).digest('hex')]
    }),
  )
  expect(Object.fromEntries(hashes)).toEqual(firstState)
  expect((await readJournal()).entries.slice(0, 2).map(({ tag }) => tag)).toEqual(Object.keys(firstState))
})

it('a database of the first state with rows in it upgrades and keeps them', async () => {
  await copyStates(Object.keys(firstState))
  const known = (await readJournal()).entries.length
  expect(await migrate({ url: database.url, folder: directory })).toEqual({ from: 0, to: 2 })
  await query(rowsOfFirstState)
  expect(await migrate({ url: database.url })).toEqual({ from: 2, to: known })
  expect(await query('select name, public_id from organizations')).toEqual([{ name: 'Grid', public_id: 'grid' }])
  expect(await query('select serial_number, hardware_model from devices')).toEqual([
    { serial_number: 'gw-1', hardware_model: 'gw-imx8m' },
  ])
  const lengths = `
    select distinct ends - starts as length from (select * from telemetry_partitions('device_logs') union all select * from telemetry_partitions('metric_points')) as parts
    where starts is not null`
  expect(await query(lengths)).toEqual([{ length: { days: 1 } }])
})

// Weeks before the present one are partitions of their own there, and other times lie in the default partition.
const telemetryOfWeeks = `
insert into device_logs (project_id, device_id, sequence, ts_ms, received_at, level, unit, message, fields)
  select 'project-1', 'device-1', n, n, now() + make_interval(days => n - 40), 6, 'kernel', 'line ' || n, '{}' from generate_series(1, 60) as n;
insert into metric_points (project_id, device_id, name, at, value)
  select 'project-1', 'device-1', 'load.1m', date_trunc('hour', now()) - make_interval(hours => n / 60, mins => n % 60), n
  from generate_series(0, 299) as n;
insert into update_events (project_id, device_id, id, event_id, attempt, type, ts_ms, received_at, source)
  select 'project-1', 'device-1', n::text, n::text, 1, 'booted', n, now() - make_interval(days => n * 10), 'device' from generate_series(1, 40) as n;
insert into fleet_metrics (project_id, name, step_s, at, n, sum, min, max, bins, counts)
  select project_id, name, step_s, date_bin(make_interval(secs => step_s), at, 'epoch'), 1, 1, 1, 1, array[1], array[1]
  from metric_points, unnest(array[60, 900]) as step_s on conflict do nothing;
insert into stale_minutes (project_id, at) select project_id, at from metric_points where at > now() - interval '70 minutes';
insert into stale_hours (project_id, at) select distinct project_id, date_trunc('hour', at, 'UTC') from metric_points;
`

it('a database with telemetry by weeks keeps every row, gets partitions by days after them, and queues points for the roll-up', async () => {
  await copyStatesBefore('_telemetry_slices')
  await migrate({ url: database.url, folder: directory })
  await query(rowsOfFirstState)
  await query(telemetryOfWeeks)
  const rows = async () => ({
    logs: await query('select * from device_logs order by sequence'),
    points: await query('select * from metric_points order by at'),
    events: await query('select * from update_events order by id'),
  })
  const before = await rows()
  expect([before.logs.length, before.points.length, before.events.length]).toEqual([60, 300, 40])
  await migrate({ url: database.url })
  expect(await rows()).toEqual(before)

  const points =
    'select name, at, amount from metric_batches, unnest(names, times, amounts) as point (name, at, amount) order by at'
  expect(await query(points)).toEqual(before.points.map(({ name, at, value }) => ({ name, at, amount: value })))
  expect(await query('select from fleet_metrics union all select from stale_hours')).toEqual([])

  // Days follow as soon as the last week with rows ends.
  await query(`select make_telemetry_partitions((current_date + interval '50 days')::date)`)
  const days = await query(`
    select name from telemetry_partitions('device_logs') where ends - starts = interval '1 day' and starts > current_date + 48`)
  expect(days.length).toBe(9)
  await query(`
    insert into device_logs (project_id, device_id, sequence, ts_ms, received_at, level, unit, message, fields)
    values ('project-1', 'device-1', 61, 61, now() + interval '50 days', 6, 'kernel', 'new', '{}')`)
  expect(await query('select tableoid::regclass::text as part from device_logs where sequence = 61')).toEqual([
    {
      part: (
        await query(
          `select name from telemetry_partitions('device_logs') where current_date + 50 >= starts and current_date + 50 < ends`,
        )
      )[0]?.name,
    },
  ])
})

// Two metrics of one device, one of them above its threshold, and one metric of another device.
const latestByMetric = `
insert into devices (id, created_at, updated_at, project_id, name, serial_number, hardware_model, lifecycle, enrollment)
  values ('device-2', now(), now(), 'project-1', 'gw-2', 'gw-2', 'gw-imx8m', 'accepted', 'token');
insert into latest_metrics (project_id, name, device_id, unit, at, value, level, since, eased_at) values
  ('project-1', 'load.1m', 'device-1', null, '2026-01-02 03:04:05.678Z', 0.25, 'healthy', null, null),
  ('project-1', 'cpu.usage_percent', 'device-1', '%', '2026-01-02 03:05Z', 91.5, 'critical', '2026-01-02 03:00Z', null),
  ('project-1', 'cpu.usage_percent', 'device-2', '%', '2026-01-02 03:05Z', 85, 'warning', '2026-01-02 03:01Z', '2026-01-02 03:04Z');
`

it('a database with a row for each newest value keeps the values of a device in one row, and their counts', async () => {
  await copyStatesBefore('_latest_metrics')
  await migrate({ url: database.url, folder: directory })
  await query(rowsOfFirstState)
  await query(latestByMetric)
  const counts = `select value, sum(n)::int as n from value_count_changes where kind = 'metric' group by value order by value`
  const before = await query(counts)
  expect(before).toEqual([
    { value: '["cpu.usage_percent", "%"]', n: 2 },
    { value: '["load.1m", null]', n: 1 },
  ])
  await migrate({ url: database.url })
  const at = (time: string) => Date.parse(`2026-01-02T${time}Z`)
  expect(await query('select device_id, project_id, metrics, readings from latest_metrics order by device_id')).toEqual([
    {
      device_id: 'device-1',
      project_id: 'project-1',
      metrics: [
        ['cpu.usage_percent', '%'],
        ['load.1m', null],
      ],
      readings: [
        [at('03:05:00'), 91.5, 'critical', at('03:00:00'), null],
        [at('03:04:05.678'), 0.25],
      ],
    },
    {
      device_id: 'device-2',
      project_id: 'project-1',
      metrics: [['cpu.usage_percent', '%']],
      readings: [[at('03:05:00'), 85, 'warning', at('03:01:00'), at('03:04:00')]],
    },
  ])
  expect(await query(counts)).toEqual(before)
  await query(`delete from latest_metrics where device_id = 'device-1'`)
  expect((await query(counts)).map(({ n }) => n)).toEqual([1, 0])
})

// Two entries of one chain, the second one of a project and of the same actor under another name.
const auditEntries = `
select lock_audit_chain('organization-1');
insert into audit_entries (chain_id, sequence, id, occurred_at, action, result, actor, credential, request_id, project_id, target,
  changes, prev_hash, hash) values
  ('organization-1', 1, 'entry-1', now(), 'organization.create', 'success', '{"kind":"user","id":"user-1","name":"Ada"}', '{}', 'one',
    null, '{"kind":"organization","id":"organization-1"}', '[]', (select hash from audit_chains), 'first'),
  ('organization-1', 2, 'entry-2', now(), 'device.delete', 'denied', '{"kind":"user","id":"user-1","name":"Ada Byron"}', '{}', 'two',
    'project-1', '{"kind":null,"id":null}', '[]', 'first', 'second');
`

it('a database with an audit log counts its entries by their values, in the log of the chain and in that of a project', async () => {
  await copyStatesBefore('_audit_counts')
  await migrate({ url: database.url, folder: directory })
  await query(rowsOfFirstState)
  await query(auditEntries)
  await migrate({ url: database.url })
  const counts = await query('select project_id, field, value, n::int as n, name from audit_counts order by 1, 2, 3')
  const ada = { field: 'actor', value: 'user-1', name: 'Ada Byron' }
  expect(counts).toEqual([
    { project_id: '', field: 'action', value: 'device.delete', n: 1, name: null },
    { project_id: '', field: 'action', value: 'organization.create', n: 1, name: null },
    { project_id: '', ...ada, n: 2 },
    { project_id: '', field: 'kind', value: 'organization', n: 1, name: null },
    { project_id: '', field: 'result', value: 'denied', n: 1, name: null },
    { project_id: '', field: 'result', value: 'success', n: 1, name: null },
    { project_id: 'project-1', field: 'action', value: 'device.delete', n: 1, name: null },
    { project_id: 'project-1', ...ada, n: 1 },
    { project_id: 'project-1', field: 'result', value: 'denied', n: 1, name: null },
  ])
})

it('a database with subscriptions keeps each as the current one of its account, which then may have others', async () => {
  await copyStatesBefore('_subscriptions_and_sessions')
  await migrate({ url: database.url, folder: directory })
  await query(rowsOfFirstState)
  const subscription = (columns: string, values: string) => `
    insert into subscriptions (id, created_at, updated_at, user_id, customer_id, provider_id, plan, state, price_id, quantity,
      cancel_at_period_end, invoices, happened_at${columns})
    values ('subscription-' || (select count(*) from subscriptions), now(), now(), 'user-1', 'cus_1', 'sub_1', 'production', 'active',
      'price_1', 1, false, '[]', now()${values})`
  await query(subscription('', ''))
  await migrate({ url: database.url })
  expect(await query('select is_current, started_at = created_at as started from subscriptions')).toEqual([
    { is_current: true, started: true },
  ])
  await query(subscription(', started_at, is_current', ', now(), false'))
  await expect(query(subscription(', started_at', ', now()'))).rejects.toThrow('subscriptions_user')
})

it('the schema files contain no change that no migration carries', async () => {
  const out = join(directory, 'migrations')
  await cp(migrations, out, { recursive: true })
  const kit = join(root, 'node_modules/drizzle-kit/bin.cjs')
  const env = { ...process.env, MIGRATIONS_FOLDER: relative(root, out) }
  await promisify(execFile)(process.execPath, [kit, 'generate', '--name=missing'], { cwd: root, env })
  const added = (await readdir(out)).filter((name) => name.includes('missing'))
  expect(added).toEqual([])
})

it('only the newest snapshot of the migrations is kept: the generator compares with no other', async () => {
  const snapshots = (await readdir(join(migrations, 'meta'))).filter((name) => name.endsWith('_snapshot.json'))
  const newest = (await readJournal()).entries.at(-1)?.tag.slice(0, 4)
  expect(snapshots, 'delete the snapshots of the former migrations').toEqual([`${newest}_snapshot.json`])
})
