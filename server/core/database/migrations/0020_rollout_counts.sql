CREATE TABLE "rollout_count_changes" (
	"rollout_id" text NOT NULL,
	"wave" integer NOT NULL,
	"state" text NOT NULL,
	"n" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rollout_counts" (
	"rollout_id" text NOT NULL,
	"wave" integer NOT NULL,
	"state" text NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "rollout_counts_values" UNIQUE("rollout_id","wave","state")
);
--> statement-breakpoint
CREATE TABLE "rollout_shard_changes" (
	"rollout_id" text NOT NULL,
	"shard" integer NOT NULL,
	"n" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rollout_shards" (
	"rollout_id" text NOT NULL,
	"shard" integer NOT NULL,
	"n" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "rollout_shards_rollout_id_shard_pk" PRIMARY KEY("rollout_id","shard")
);
--> statement-breakpoint
CREATE TABLE "rollout_reviews" (
	"rollout_id" text NOT NULL,
	"device_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
DROP INDEX "rollout_devices_active";--> statement-breakpoint
ALTER TABLE "rollout_devices" ADD COLUMN "shard" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "rollouts" ADD COLUMN "review_position" jsonb;--> statement-breakpoint
ALTER TABLE "rollouts" ADD COLUMN "reviewed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "rollout_shards" ADD CONSTRAINT "rollout_shards_rollout_id_rollouts_id_fk" FOREIGN KEY ("rollout_id") REFERENCES "public"."rollouts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rollout_count_changes_rollout" ON "rollout_count_changes" USING btree ("rollout_id");--> statement-breakpoint
CREATE INDEX "rollout_shard_changes_shard" ON "rollout_shard_changes" USING btree ("rollout_id","shard");--> statement-breakpoint
CREATE INDEX "rollout_reviews_due" ON "rollout_reviews" USING btree ("rollout_id","at");--> statement-breakpoint
CREATE INDEX "rollout_devices_active" ON "rollout_devices" USING btree ("rollout_id","state","since") WHERE "rollout_devices"."state" in ('offered', 'downloading', 'downloaded', 'verifying', 'installing', 'rebooting', 'validating', 'claimed');
--> statement-breakpoint
-- The states of the chart with the tag active: such an update holds a slot of its rollout.
create function holds_slot(state text) returns boolean language sql immutable as $$
  select state in ('offered', 'downloading', 'downloaded', 'verifying', 'installing', 'rebooting', 'validating', 'claimed')
$$;
--> statement-breakpoint
-- Each change adds its difference as rows, so that no transaction waits for another one (decision 46).
create function count_rollout_devices_made() returns trigger language plpgsql as $$
begin
  insert into rollout_count_changes (rollout_id, wave, state, n)
  select rollout_id, wave, state, count(*) from made group by 1, 2, 3;
  insert into rollout_shard_changes (rollout_id, shard, n)
  select rollout_id, shard, count(*) from made where holds_slot(state) group by 1, 2;
  return null;
end $$;
--> statement-breakpoint
create function count_rollout_devices_gone() returns trigger language plpgsql as $$
begin
  insert into rollout_count_changes (rollout_id, wave, state, n)
  select rollout_id, wave, state, -count(*) from gone group by 1, 2, 3;
  insert into rollout_shard_changes (rollout_id, shard, n)
  select rollout_id, shard, -count(*) from gone where holds_slot(state) group by 1, 2;
  return null;
end $$;
--> statement-breakpoint
create function count_rollout_device_changed() returns trigger language plpgsql as $$
begin
  insert into rollout_count_changes (rollout_id, wave, state, n)
  values (old.rollout_id, old.wave, old.state, -1), (new.rollout_id, new.wave, new.state, 1);
  if (old.shard, holds_slot(old.state)) <> (new.shard, holds_slot(new.state)) then
    insert into rollout_shard_changes (rollout_id, shard, n)
    select old.rollout_id, old.shard, -1 where holds_slot(old.state)
    union all select new.rollout_id, new.shard, 1 where holds_slot(new.state);
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger rollout_devices_count_made after insert on rollout_devices referencing new table as made
  for each statement execute function count_rollout_devices_made();
--> statement-breakpoint
create trigger rollout_devices_count_gone after delete on rollout_devices referencing old table as gone
  for each statement execute function count_rollout_devices_gone();
--> statement-breakpoint
-- By row: reports of progress change none of these, and then cost nothing here.
create trigger rollout_devices_count_changed after update on rollout_devices for each row
  when ((old.wave, old.state, old.shard) is distinct from (new.wave, new.state, new.shard))
  execute function count_rollout_device_changed();
--> statement-breakpoint
create function make_rollout_shards() returns trigger language plpgsql as $$
begin
  insert into rollout_shards (rollout_id, shard) select new.id, shard from generate_series(0, 7) as shard;
  return null;
end $$;
--> statement-breakpoint
create trigger rollouts_make_shards after insert on rollouts for each row execute function make_rollout_shards();
--> statement-breakpoint
insert into rollout_counts (rollout_id, wave, state, n)
select rollout_id, wave, state, count(*) from rollout_devices group by 1, 2, 3;
--> statement-breakpoint
insert into rollout_shards (rollout_id, shard, n)
select id, shard, (select count(*) from rollout_devices where rollout_id = id and holds_slot(state) and shard.shard = 0)
from rollouts, generate_series(0, 7) as shard (shard);
--> statement-breakpoint
-- The rollouts that devices of a project can still join.
create function joinable_rollouts(project text) returns setof text language sql stable as $$
  select id from rollouts
  where rollouts.project_id = project and rollouts.phase in ('filling', 'soaking', 'waiting_for_user', 'paused', 'halted')
    and membership = 'dynamic' and started_at is not null
$$;
--> statement-breakpoint
-- A device may match now, and again when its pause or quarantine ends (decision 46).
create function review_times(paused_until timestamptz, quarantine_until timestamptz) returns setof timestamptz
language sql immutable as $$
  select distinct at from unnest(array['-infinity', paused_until, quarantine_until]) as at where at is not null
$$;
--> statement-breakpoint
-- Without a unique index, so that no transaction waits for another one.
create function add_made_reviews() returns trigger language plpgsql as $$
begin
  insert into rollout_reviews (rollout_id, device_id, at)
  select joinable, made.id, due
  from (select distinct project_id from made) as projects, joinable_rollouts(projects.project_id) as joinable, made,
    review_times(made.updates_paused_until, made.quarantine_until) as due
  where made.project_id = projects.project_id and made.deleted_at is null;
  return null;
end $$;
--> statement-breakpoint
create function add_changed_review() returns trigger language plpgsql as $$
begin
  insert into rollout_reviews (rollout_id, device_id, at)
  select joinable, new.id, due
  from joinable_rollouts(new.project_id) as joinable, review_times(new.updates_paused_until, new.quarantine_until) as due
  where new.deleted_at is null
    and not exists (select from rollout_devices where rollout_id = joinable and device_id = new.id);
  return null;
end $$;
--> statement-breakpoint
create function add_tagged_reviews() returns trigger language plpgsql as $$
begin
  insert into rollout_reviews (rollout_id, device_id, at)
  select joinable, devices.id, due
  from (select distinct project_id from changed) as projects, joinable_rollouts(projects.project_id) as joinable, changed
  join devices on devices.id = changed.device_id,
    review_times(devices.updates_paused_until, devices.quarantine_until) as due
  where changed.project_id = projects.project_id and devices.deleted_at is null
    and not exists (select from rollout_devices where rollout_id = joinable and device_id = devices.id);
  return null;
end $$;
--> statement-breakpoint
create trigger devices_add_made_reviews after insert on devices referencing new table as made
  for each statement execute function add_made_reviews();
--> statement-breakpoint
-- The facts that targets and the checks of eligibility depend on.
create trigger devices_add_changed_review after update on devices for each row
  when ((old.project_id, old.name, old.serial_number, old.lifecycle, old.deleted_at, old.hardware_model, old.protocol,
      old.updates_enabled, old.updates_paused_until, old.quarantine_until, old.quarantine_release_id, old.installed_release_id,
      old.installed_version, old.rollback_version, old.trusted_keys,
      case when old.protocol = 'ddi' then old.attributes ->> 'hw_boardname' end)
    is distinct from (new.project_id, new.name, new.serial_number, new.lifecycle, new.deleted_at, new.hardware_model, new.protocol,
      new.updates_enabled, new.updates_paused_until, new.quarantine_until, new.quarantine_release_id, new.installed_release_id,
      new.installed_version, new.rollback_version, new.trusted_keys,
      case when new.protocol = 'ddi' then new.attributes ->> 'hw_boardname' end))
  execute function add_changed_review();
--> statement-breakpoint
create trigger device_tags_add_made_reviews after insert on device_tags referencing new table as changed
  for each statement execute function add_tagged_reviews();
--> statement-breakpoint
create trigger device_tags_add_gone_reviews after delete on device_tags referencing old table as changed
  for each statement execute function add_tagged_reviews();
