-- Metrics of parts of a fleet: all of it, each model, each release, each tag (see telemetry/roll-up.repository.ts).
create table group_metrics (
  project_id text not null,
  name text not null,
  kind text not null,
  value text not null,
  step_s int not null,
  at timestamptz(3) not null,
  n bigint not null,
  sum double precision not null,
  min double precision not null,
  max double precision not null,
  bins int[] not null,
  counts int[] not null,
  primary key (project_id, name, kind, step_s, value, at)
) partition by range (at);
--> statement-breakpoint
create table group_metrics_default partition of group_metrics default;
--> statement-breakpoint
create or replace function make_telemetry_partitions(today date) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform make_days('device_logs', today - 1, 9);
  perform make_days('metric_points', today - 8, 16);
  perform make_partitions('update_events', today - 31, 4);
  perform make_partitions('metric_hours', today - 31, 4);
  perform make_partitions('fleet_metrics', today - 31, 4);
  perform make_partitions('group_metrics', today - 31, 4);
end $$;
--> statement-breakpoint
create or replace function telemetry_partitions(parent text, out name text, out starts timestamptz, out ends timestamptz) returns setof record
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  if parent not in ('device_logs', 'metric_points', 'update_events', 'metric_hours', 'fleet_metrics', 'group_metrics') then
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
select make_telemetry_partitions(current_date);
