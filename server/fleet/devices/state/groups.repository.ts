import { type SQL, sql } from 'drizzle-orm'
import { projects } from '../../../accounts/schema/projects'
import type { Tx } from '../../../core/database/tx'
import type { ProjectRead } from '../../../core/http/scope'
import { devices } from '../../schema/devices'
import { addedTimeText } from './flaps.repository'
import { deviceFlaps, deviceStateChanges } from '../../schema/state-changes'
import { contactSince } from './computed.repository'
import { countsOfProject } from './counts.repository'
import { eventPolls } from './connectivity'
import { grace } from '../../../../contract/fleet/connectivity'
import { contactPollS } from '../../../accounts/projects/settings'
import { contactPollSql } from '../../../accounts/projects/plan-and-settings.repository'

/** A project as SQL, so that many can be read in one statement: its id and polling interval. */
export type ProjectSql = { id: SQL; pollS: SQL }

const values = sql.raw(
  `lifecycle, health_status, update_state, installed_version, installed_display_version, installed_release_id,
    polling_interval_s, contact`,
)

const keptGroups = ({ id }: Pick<ProjectSql, 'id'>) => sql`
  select ${values}, sum(n)::bigint as n from ${countsOfProject(id)} as counted group by ${values} having sum(n) <> 0`

/**
 * The devices of a project whose connectivity is no longer that of their last review, found by index. `kept` names a relation
 * with the groups of the project.
 */
const movedDevices = ({ id, pollS }: ProjectSql, kept: SQL, now: Date) => {
  const poll = sql`coalesce(known.polling_interval_s, ${pollS})`
  const online = contactSince(poll, now, grace.online)
  const late = contactSince(poll, now, grace.late)
  const within = sql`d.project_id = ${id} and d.deleted_at is null and d.contact = known.contact
    and coalesce(d.polling_interval_s, 0) = coalesce(known.polling_interval_s, 0)`
  return sql`
    select d.*, case when d.last_seen_at is null then 'never_seen' when d.last_seen_at >= online_since then 'online'
      when d.last_seen_at >= late_since then 'late' else 'offline' end as connectivity
    from (
      select contact, polling_interval_s, online_since, late_since,
        case contact when 'online' then online_since when 'late' then late_since end as least,
        case contact when 'late' then online_since when 'offline' then late_since when 'never_seen' then '-infinity' end as beyond
      from (select distinct contact, polling_interval_s from ${kept}) known,
        lateral (select ${online} as online_since, ${late} as late_since) since
    ) known,
    lateral (
      select d.* from ${devices} d where ${within} and d.last_seen_at < known.least
      union all
      select d.* from ${devices} d where ${within} and d.last_seen_at >= known.beyond
    ) d`
}

/**
 * The devices of a project that are not deleted, as groups of equal values with their number `n` and their connectivity. Exact at
 * this moment: the kept counts, with the devices moved whose connectivity has changed since. Several rows may belong to one
 * group, so sum them.
 */
export const deviceGroups = (project: ProjectSql, now: Date): SQL => {
  const facts = sql.raw(
    `lifecycle, health_status, update_state, installed_version, installed_display_version, installed_release_id,
      polling_interval_s`,
  )
  return sql`(
    with kept as materialized (${keptGroups(project)}),
    moved as materialized (${movedDevices(project, sql`kept`, now)})
    select ${facts}, contact as connectivity, n from kept
    union all select ${facts}, contact, -1 from moved
    union all select ${facts}, connectivity, 1 from moved
  )`
}

const projectSql = ({ project, now }: ProjectRead): ProjectSql => ({
  id: sql`${project.id}`,
  pollS: sql`${contactPollS(project.settings, now)}::int`,
})

/** The ids of the devices of a project whose connectivity has changed since their last review. */
export const movedDeviceIds = (read: ProjectRead): SQL => {
  const project = projectSql(read)
  return sql`(
    with kept as materialized (${keptGroups(project)}) select id from (${movedDevices(project, sql`kept`, read.now)}) as moved
  )`
}

/** The ids of the devices of a project that are offline and match, at most so many of each polling interval, by index. */
export const silentDevices = ({ id, pollS }: ProjectSql, now: Date, most: number, matching: SQL): SQL => sql`(
  select one.id
  from (
    select contact, polling_interval_s from ${countsOfProject(id)} as counted group by contact, polling_interval_s having sum(n) <> 0
  ) known,
  lateral (
    select devices.id from ${devices}
    where devices.project_id = ${id} and devices.deleted_at is null and devices.contact = known.contact
      and coalesce(devices.polling_interval_s, 0) = coalesce(known.polling_interval_s, 0)
      and devices.last_seen_at < ${contactSince(sql`coalesce(known.polling_interval_s, ${pollS})`, now, grace.late)}
      and ${matching}
    order by devices.last_seen_at desc, devices.id limit ${most}
  ) one
)`

/**
 * Records the present connectivity of at most so many devices whose last review is out of date, of all projects, and returns how
 * many there were. Devices that are being changed wait for the next review. The change is announced once two polls confirm it:
 * two were missed, or the device was online for as long.
 */
export const reviewContacts = async (tx: Tx, now: Date, most: number): Promise<number> => {
  const project = { id: sql`p.id`, pollS: contactPollSql(sql`p.settings`, now) }
  const at = sql`${now.toISOString()}::timestamptz`
  const { rows } = await tx.execute<{ n: number }>(sql`
    with moved as materialized (
      select one.id, one.contact, one.connectivity, coalesce(one.polling_interval_s, ${project.pollS}) as poll_s from ${projects} p, lateral (
        with kept as materialized (${keptGroups(project)}) ${movedDevices(project, sql`kept`, now)}
      ) one limit ${most}
    ),
    free as materialized (
      select d.id from ${devices} d inner join moved on moved.id = d.id and moved.contact = d.contact
      for no key update of d skip locked
    ),
    changed as (
      update ${devices} set contact = moved.connectivity from moved
      where devices.id = moved.id and devices.id in (select id from free)
      returning moved.*, devices.last_seen_at, devices.project_id
    ),
    returned as (
      insert into ${deviceFlaps} as known (device_id, project_id, kind, times)
      select id, project_id, 'connectivity', array[${at}] from changed
      where connectivity = 'online' and contact in ('late', 'offline')
      on conflict (device_id, kind) do update set times = ${sql.raw(addedTimeText)}
    ),
    noted as (
      insert into ${deviceStateChanges} (device_id, kind, was, due_at)
      select id, 'connectivity', contact, case connectivity
        when 'online' then ${at} + make_interval(secs => poll_s * ${eventPolls}::float8)
        when 'late' then last_seen_at + make_interval(secs => poll_s * ${eventPolls}::float8 + ${grace.slackS}::float8)
        else ${at} end
      from changed
      on conflict (device_id, kind) do update set due_at = excluded.due_at
    )
    select count(*)::int as n from changed`)
  return rows[0]?.n ?? 0
}
