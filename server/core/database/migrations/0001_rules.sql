-- Creates the monthly partitions of a table, starting with a given month. Rows outside all of them go to the default partition.
create function make_partitions(parent text, starting date, months int) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  first date := date_trunc('month', starting);
  month date;
begin
  for n in 0 .. months - 1 loop
    month := first + make_interval(months => n);
    begin
      execute format(
        'create table if not exists %I partition of %I for values from (%L) to (%L)',
        parent || '_' || to_char(month, 'YYYY_MM'), parent, month, month + interval '1 month'
      );
    exception when check_violation then
      -- Rows of this month lie in the default partition already: they stay there.
      null;
    end;
  end loop;
  if parent = 'audit_entries' then perform guard_audit_partitions(); end if;
end $$;
revoke execute on function make_partitions(text, date, int) from public;
--> statement-breakpoint
create table audit_entries (
  chain_id text not null,
  sequence bigint not null,
  id text not null,
  occurred_at timestamptz(3) not null,
  action text not null,
  result text not null,
  actor jsonb not null,
  credential jsonb not null,
  source_ip text,
  user_agent text,
  request_id text not null,
  project_id text,
  target jsonb not null,
  changes jsonb not null,
  reason text,
  prev_hash text not null,
  hash text not null,
  primary key (chain_id, sequence, occurred_at)
) partition by range (occurred_at);
create table audit_entries_default partition of audit_entries default;
create index audit_entries_newest on audit_entries (chain_id, sequence desc);
create index audit_entries_project on audit_entries (project_id, sequence desc);

-- T-20: append-only. Retention sets teasel.retention in its own transaction, after it has moved the checkpoint.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('teasel.retention', true) = 'on' then return old; end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function refuse_audit_change();
create trigger audit_entries_no_truncate before truncate on audit_entries
  for each statement execute function refuse_audit_change();

-- A partition does not inherit statement triggers: each gets its own.
create function guard_audit_partitions() returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part regclass;
begin
  for part in
    select inhrelid::regclass from pg_inherits
    where inhparent = 'audit_entries'::regclass
      and not exists (select from pg_trigger where tgrelid = inhrelid and tgname = 'audit_partition_no_truncate')
  loop
    execute format('create trigger audit_partition_no_truncate before truncate on %s
      for each statement execute function refuse_audit_change()', part);
  end loop;
end $$;
select guard_audit_partitions();

-- The hosts' role may only read audit_chains. An entry that continues its chain moves the head; another one is refused.
create function lock_audit_chain(chain text, out sequence bigint, out hash text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  genesis constant text := repeat('0', 64);
begin
  insert into audit_chains (id, sequence, hash, checkpoint_hash) values (chain, 0, genesis, genesis) on conflict do nothing;
  select audit_chains.sequence, audit_chains.hash into sequence, hash from audit_chains where id = chain for update;
end $$;
create function move_audit_head() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update audit_chains set sequence = new.sequence, hash = new.hash
  where id = new.chain_id and sequence = new.sequence - 1 and hash = new.prev_hash;
  if not found then
    raise exception 'the entry does not continue its audit chain' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;
create trigger audit_entries_move_head after insert on audit_entries for each row execute function move_audit_head();

-- For a role that owns the tables: a chain changes by a new entry or by retention.
create function refuse_chain_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (pg_trigger_depth() > 1 or current_setting('teasel.retention', true) = 'on') then return new; end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_chains_append_only before update or delete on audit_chains
  for each row execute function refuse_chain_change();
create trigger audit_chains_no_truncate before truncate on audit_chains
  for each statement execute function refuse_chain_change();
revoke execute on function lock_audit_chain(text), guard_audit_partitions() from public;
--> statement-breakpoint
-- T-07: a transaction that would leave an organization without an owner is refused at its end.
create function refuse_ownerless() returns trigger language plpgsql as $$
begin
  if exists (select from organizations where id = old.organization_id)
    and not exists (select from members where organization_id = old.organization_id and base_role = 'owner')
  then raise exception 'an organization needs an owner' using errcode = 'check_violation', constraint = 'members_last_owner';
  end if;
  return null;
end $$;
create constraint trigger members_last_owner after update or delete on members deferrable initially deferred
  for each row when (old.base_role = 'owner') execute function refuse_ownerless();
--> statement-breakpoint
alter table rate_windows set unlogged;
--> statement-breakpoint
-- The devices row holds a copy of the update that device lists show. A rollout that was not started shows nothing; a device
-- in several rollouts shows the running one, else the newest.
create function copy_update_to_devices() returns trigger language plpgsql as $$
begin
  update devices set
    update_rollout_id = changed.rollout_id,
    update_release_id = releases.id,
    update_version = releases.version,
    update_display_version = releases.display_version,
    update_state = changed.state,
    update_state_since = changed.since,
    update_progress = changed.progress,
    update_bytes_done = changed.bytes_done,
    update_bytes_total = changed.bytes_total,
    update_attempt = changed.attempt,
    update_error_code = changed.error_code,
    update_error_text = changed.error_text
  from changed
  join rollouts on rollouts.id = changed.rollout_id
  join releases on releases.id = rollouts.release_id
  where devices.id = changed.device_id
    and rollouts.started_at is not null
    and (
      devices.update_rollout_id is null
      or devices.update_rollout_id = changed.rollout_id
      or changed.state in ('offered', 'downloading', 'downloaded', 'verifying', 'installing', 'rebooting', 'validating')
      or devices.update_state_since <= changed.since and devices.update_state in
        ('queued', 'held', 'deferred', 'succeeded', 'failed', 'rolled_back', 'skipped', 'timed_out', 'cancelled')
        and changed.state <> 'cancelled'
    );
  return null;
end $$;
--> statement-breakpoint
create trigger rollout_devices_made after insert on rollout_devices referencing new table as changed
  for each statement execute function copy_update_to_devices();
--> statement-breakpoint
create trigger rollout_devices_moved after update on rollout_devices referencing new table as changed
  for each statement execute function copy_update_to_devices();
--> statement-breakpoint
-- T-17, second check: the database refuses every change of what was signed.
create function refuse_signed_change() returns trigger language plpgsql as $$
begin
  if old.payload is not null and new.payload is distinct from old.payload
    -- Nobody has signed it yet: it may be dropped, but not exchanged.
    and not (new.payload is null and old.state = 'awaiting_signature' and new.state = 'draft'
      and not exists (select from release_signatures where release_id = old.id)) then
    raise exception 'a finalized manifest never changes' using errcode = 'check_violation', constraint = 'releases_payload';
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger releases_payload before update on releases for each row execute function refuse_signed_change();
--> statement-breakpoint
-- Like make_partitions, by weeks that begin on Monday: for tables whose rows are kept for days.
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
-- Creates the current and the next partitions; a daily job calls it.
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
-- The bin of a value in the sketch of a distribution: the same as binOf in telemetry/sketch.ts.
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
