-- As make_partitions, by weeks that begin on Monday: for what is kept for days.
create function make_weeks(parent text, starting date, weeks int) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  week date;
begin
  for n in 0 .. weeks - 1 loop
    week := date_trunc('week', starting)::date + 7 * n;
    begin
      execute format(
        'create table if not exists %I partition of %I for values from (%L) to (%L)',
        parent || '_' || to_char(week, 'YYYY_MM_DD'), parent, week, week + 7
      );
    exception when check_violation then
      null;
    end;
  end loop;
end $$;
--> statement-breakpoint
create table update_events (
  project_id text not null,
  device_id text not null,
  id text not null,
  event_id text not null,
  rollout_id text,
  release_id text,
  version bigint,
  attempt int not null,
  type text not null,
  from_state text,
  to_state text,
  reason_code text,
  message text,
  progress_percent double precision,
  bytes_done bigint,
  duration_ms bigint,
  slot text,
  boot_id text,
  key_fingerprint text,
  ts_ms bigint not null,
  received_at timestamptz(3) not null,
  sequence bigint,
  source text not null,
  primary key (project_id, device_id, id, received_at)
) partition by range (received_at);
--> statement-breakpoint
create table update_events_default partition of update_events default;
--> statement-breakpoint
create index update_events_event on update_events (project_id, device_id, event_id);
--> statement-breakpoint
create table device_logs (
  project_id text not null,
  device_id text not null,
  sequence bigint not null,
  ts_ms bigint not null,
  received_at timestamptz(3) not null,
  level smallint not null,
  unit text,
  pid bigint,
  boot_id text,
  message text not null,
  fields jsonb not null,
  primary key (project_id, device_id, sequence, received_at)
) partition by range (received_at);
--> statement-breakpoint
create table device_logs_default partition of device_logs default;
--> statement-breakpoint
create table metric_points (
  project_id text not null,
  device_id text not null,
  name text not null,
  at timestamptz(3) not null,
  value double precision not null,
  primary key (project_id, name, device_id, at)
) partition by range (at);
--> statement-breakpoint
create table metric_points_default partition of metric_points default;
--> statement-breakpoint
create index metric_points_at on metric_points (project_id, at);
--> statement-breakpoint
create table metric_hours (
  project_id text not null,
  device_id text not null,
  name text not null,
  at timestamptz(3) not null,
  n bigint not null,
  sum double precision not null,
  min double precision not null,
  max double precision not null,
  primary key (project_id, name, device_id, at)
) partition by range (at);
--> statement-breakpoint
create table metric_hours_default partition of metric_hours default;
--> statement-breakpoint
create table fleet_metrics (
  project_id text not null,
  name text not null,
  step_s int not null,
  at timestamptz(3) not null,
  n bigint not null,
  sum double precision not null,
  min double precision not null,
  max double precision not null,
  bins int[] not null,
  counts int[] not null,
  primary key (project_id, name, step_s, at)
) partition by range (at);
--> statement-breakpoint
create table fleet_metrics_default partition of fleet_metrics default;
--> statement-breakpoint
-- Partitions for now and the time ahead; the jobs call it each day.
create function make_telemetry_partitions(today date) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform make_weeks('device_logs', today - 7, 5);
  perform make_weeks('metric_points', today - 14, 6);
  perform make_partitions('update_events', today - 31, 4);
  perform make_partitions('metric_hours', today - 31, 4);
  perform make_partitions('fleet_metrics', today - 31, 4);
end $$;
--> statement-breakpoint
select make_telemetry_partitions(current_date);
--> statement-breakpoint
-- The bin of a value in the sketch of a distribution: as binOf of telemetry/sketch.
create function sketch_bin(value double precision) returns int language sql immutable parallel safe as $$
  select case when abs(value) < 1e-9 then 0
    else sign(value)::int * (1 + floor(ln(abs(value) / 1e-9::float8) / ln(1.04::float8))::int) end
$$;
--> statement-breakpoint
-- Drops the partitions of a telemetry table that end before a moment. The default partition stays.
create function drop_partitions(parent text, before timestamptz) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part record;
  dropped int := 0;
begin
  if parent not in ('device_logs', 'metric_points', 'update_events', 'metric_hours', 'fleet_metrics') then
    raise exception 'no partition of % may be dropped', parent using errcode = 'insufficient_privilege';
  end if;
  for part in
    select child.relname as name,
      substring(pg_get_expr(child.relpartbound, child.oid) from $re$TO \('([^']+)'\)$re$)::timestamptz as ends
    from pg_inherits
    join pg_class child on child.oid = inhrelid
    where inhparent = parent::regclass and pg_get_expr(child.relpartbound, child.oid) <> 'DEFAULT'
  loop
    if part.ends <= before then
      execute format('drop table %I', part.name);
      dropped := dropped + 1;
    end if;
  end loop;
  return dropped;
end $$;
--> statement-breakpoint
revoke execute on function make_weeks(text, date, int), make_telemetry_partitions(date), drop_partitions(text, timestamptz) from public;
