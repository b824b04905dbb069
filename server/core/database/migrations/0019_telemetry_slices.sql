CREATE TABLE "metric_batches" (
	"project_id" text NOT NULL,
	"device_id" text NOT NULL,
	"names" text[] NOT NULL,
	"times" timestamp (3) with time zone[] NOT NULL,
	"amounts" double precision[] NOT NULL
);
--> statement-breakpoint
-- Hours that were not up to date are added up again from their points, as far as these are complete: production plans keep them
-- for 14 days, others for 3.
with behind as (
  select project_id, at from stale_hours
  union select project_id, date_trunc('hour', at, 'UTC') from stale_minutes
),
complete as (
  select behind.* from behind
  join projects on projects.id = behind.project_id
  left join organizations on organizations.id = projects.organization_id
  left join users on users.id = projects.owner_id
  where behind.at >= now() - case coalesce(organizations.plan, users.pricing_plan) when 'production' then interval '14 days' else interval '3 days' end
),
gone as (
  delete from fleet_metrics using complete
  where fleet_metrics.project_id = complete.project_id
    and fleet_metrics.at >= complete.at and fleet_metrics.at < complete.at + interval '1 hour'
)
insert into metric_batches (project_id, device_id, names, times, amounts)
select point.project_id, point.device_id, array_agg(point.name), array_agg(point.at), array_agg(point.value)
from complete
join metric_points point
  on point.project_id = complete.project_id and point.at >= complete.at and point.at < complete.at + interval '1 hour'
group by point.project_id, point.device_id, complete.at;
--> statement-breakpoint
-- The roll-up marks the hours of the queued points again, now by device.
delete from stale_hours;--> statement-breakpoint
ALTER TABLE "stale_hours" DROP CONSTRAINT "stale_hours_project_id_at_pk";--> statement-breakpoint
ALTER TABLE "stale_hours" ADD COLUMN "device_id" text NOT NULL;--> statement-breakpoint
ALTER TABLE "stale_hours" ADD CONSTRAINT "stale_hours_at_project_id_device_id_pk" PRIMARY KEY("at","project_id","device_id");--> statement-breakpoint
DROP TABLE "stale_minutes" CASCADE;--> statement-breakpoint
-- Like make_weeks, by days. A day that a longer partition already covers stays there, as do rows in the default partition. The
-- creation needs the default partition alone for a moment; it does not wait long, because reads would wait behind it.
create function make_days(parent text, starting date, days int) returns void
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
declare
  day date;
begin
  for n in 0 .. days - 1 loop
    day := starting + n;
    begin
      execute format(
        'create table if not exists %I partition of %I for values from (%L) to (%L)',
        parent || '_' || to_char(day, 'YYYY_MM_DD'), parent, day, day + 1
      );
    exception when check_violation or invalid_object_definition then
      null;
    end;
  end loop;
end $$;
--> statement-breakpoint
create or replace function make_telemetry_partitions(today date) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform make_days('device_logs', today - 1, 9);
  perform make_days('metric_points', today - 8, 16);
  perform make_partitions('update_events', today - 31, 4);
  perform make_partitions('metric_hours', today - 31, 4);
  perform make_partitions('fleet_metrics', today - 31, 4);
end $$;
--> statement-breakpoint
-- The partitions of a telemetry table with their bounds; null for the default partition.
create function telemetry_partitions(parent text, out name text, out starts timestamptz, out ends timestamptz) returns setof record
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  if parent not in ('device_logs', 'metric_points', 'update_events', 'metric_hours', 'fleet_metrics') then
    raise exception '% is no telemetry table', parent using errcode = 'insufficient_privilege';
  end if;
  return query
    select child.relname::text, (bounds[1])::timestamptz, (bounds[2])::timestamptz
    from pg_inherits
    join pg_class child on child.oid = inhrelid,
    regexp_match(pg_get_expr(child.relpartbound, child.oid), $re$FROM \('([^']+)'\) TO \('([^']+)'\)$re$) as bounds
    where inhparent = parent::regclass
    order by 2;
end $$;
--> statement-breakpoint
-- Drops the partitions of a telemetry table that end before a moment. The default partition stays. A partition that a long read
-- still uses stays until the next run: waiting would hold up every insert.
create or replace function drop_partitions(parent text, before timestamptz) returns int
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s' as $$
declare
  part record;
  dropped int := 0;
begin
  for part in select name from telemetry_partitions(parent) where ends <= before loop
    begin
      execute format('drop table %I', part.name);
      dropped := dropped + 1;
    exception when lock_not_available then
      null;
    end;
  end loop;
  return dropped;
end $$;
--> statement-breakpoint
-- Deletes at most so many rows of a project that are older than a moment, and returns how many. Partitions that are no longer than
-- `spared` stay, because they are dropped as a whole. The minutes of a fleet are kept for a shorter time than its hours.
create function delete_telemetry(parent text, owner text, before timestamptz, spared interval, minutes bool, most int) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  timed constant text := case when parent in ('device_logs', 'update_events') then 'received_at' else 'at' end;
  only_minutes constant text := case when minutes then 'and step_s < 3600' else '' end;
  part record;
  deleted int;
  total int := 0;
begin
  for part in
    select name from telemetry_partitions(parent)
    where starts is null or starts < before and (spared is null or ends - starts > spared)
  loop
    execute format(
      'delete from %1$I where ctid = any (array(select ctid from %1$I where project_id = $1 and %2$I < $2 %3$s limit $3))',
      part.name, timed, only_minutes
    ) using owner, before, most - total;
    get diagnostics deleted = row_count;
    total := total + deleted;
    exit when total >= most;
  end loop;
  return total;
end $$;
--> statement-breakpoint
revoke execute on function make_days(text, date, int), telemetry_partitions(text),
  delete_telemetry(text, text, timestamptz, interval, bool, int) from public;
--> statement-breakpoint
-- Weeks without rows make room for days: all of them in a new database.
do $$
declare
  part text;
  used bool;
begin
  for part in select name from telemetry_partitions('device_logs') where starts is not null
    union all select name from telemetry_partitions('metric_points') where starts is not null
  loop
    execute format('select exists (select from %I)', part) into used;
    if not used then execute format('drop table %I', part); end if;
  end loop;
end $$;
--> statement-breakpoint
select make_telemetry_partitions(current_date);
