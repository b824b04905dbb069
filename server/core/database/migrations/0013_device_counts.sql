CREATE TABLE "device_count_changes" (
	"project_id" text NOT NULL,
	"lifecycle" text NOT NULL,
	"health_status" text NOT NULL,
	"update_state" text,
	"installed_version" bigint,
	"installed_display_version" text,
	"polling_interval_s" integer,
	"contact" text NOT NULL,
	"n" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_counts" (
	"project_id" text NOT NULL,
	"lifecycle" text NOT NULL,
	"health_status" text NOT NULL,
	"update_state" text,
	"installed_version" bigint,
	"installed_display_version" text,
	"polling_interval_s" integer,
	"contact" text NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "device_counts_values" UNIQUE NULLS NOT DISTINCT("project_id","lifecycle","health_status","update_state","installed_version","installed_display_version","polling_interval_s","contact")
);
--> statement-breakpoint
CREATE TABLE "tag_count_changes" (
	"tag_id" text NOT NULL,
	"n" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tag_counts" (
	"tag_id" text NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "tag_counts_tag" UNIQUE("tag_id")
);
--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "contact" text DEFAULT 'never_seen' NOT NULL;--> statement-breakpoint
CREATE INDEX "device_count_changes_project" ON "device_count_changes" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "tag_count_changes_tag" ON "tag_count_changes" USING btree ("tag_id");--> statement-breakpoint
CREATE INDEX "devices_by_contact" ON "devices" USING btree ("project_id","contact",coalesce("polling_interval_s", 0),"last_seen_at") WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_unwell" ON "devices" USING btree ("project_id","health_status","last_seen_at" DESC NULLS FIRST,"id") WHERE "devices"."deleted_at" is null and "devices"."health_status" in ('critical', 'warning');--> statement-breakpoint
CREATE INDEX "devices_failed" ON "devices" USING btree ("project_id","last_seen_at" DESC NULLS FIRST,"id") WHERE "devices"."deleted_at" is null and "devices"."update_state" in ('failed', 'rolled_back', 'timed_out');--> statement-breakpoint
CREATE INDEX "devices_pending" ON "devices" USING btree ("project_id","last_seen_at" DESC NULLS FIRST,"id") WHERE "devices"."deleted_at" is null and "devices"."lifecycle" = 'pending';--> statement-breakpoint
CREATE INDEX "rollout_devices_offered" ON "rollout_devices" USING btree ("rollout_id","offered_at") WHERE "rollout_devices"."offered_at" is not null;--> statement-breakpoint
CREATE INDEX "rollout_devices_active" ON "rollout_devices" USING btree ("rollout_id") WHERE "rollout_devices"."state" in ('offered', 'downloading', 'downloaded', 'verifying', 'installing', 'rebooting', 'validating', 'claimed');
--> statement-breakpoint
-- Existing devices: their connectivity by now.
update devices set contact = case
    when last_seen_at >= now() - make_interval(secs => poll * 1.5 + 60) then 'online'
    when last_seen_at >= now() - make_interval(secs => poll * 3 + 60) then 'late'
    else 'offline' end
from (select d.id, coalesce(d.polling_interval_s, (p.settings ->> 'polling_interval_s')::int, 3600) as poll
  from devices d join projects p on p.id = d.project_id) as known
where devices.id = known.id and last_seen_at is not null;
--> statement-breakpoint
-- Each change adds its difference as rows, so that no transaction waits for another one (decision 41).
create function count_devices_made() returns trigger language plpgsql as $$
begin
  insert into device_count_changes (project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
    polling_interval_s, contact, n)
  select project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
    polling_interval_s, contact, count(*)
  from made where deleted_at is null group by 1, 2, 3, 4, 5, 6, 7, 8;
  return null;
end $$;
--> statement-breakpoint
create function count_devices_gone() returns trigger language plpgsql as $$
begin
  insert into device_count_changes (project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
    polling_interval_s, contact, n)
  select project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
    polling_interval_s, contact, -count(*)
  from gone where deleted_at is null group by 1, 2, 3, 4, 5, 6, 7, 8;
  return null;
end $$;
--> statement-breakpoint
create function count_device_changed() returns trigger language plpgsql as $$
begin
  insert into device_count_changes (project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
    polling_interval_s, contact, n)
  select old.project_id, old.lifecycle, old.health_status, old.update_state, old.installed_version, old.installed_display_version,
    old.polling_interval_s, old.contact, -1
  where old.deleted_at is null
  union all
  select new.project_id, new.lifecycle, new.health_status, new.update_state, new.installed_version, new.installed_display_version,
    new.polling_interval_s, new.contact, 1
  where new.deleted_at is null;
  if (old.deleted_at is null) <> (new.deleted_at is null) then
    insert into tag_count_changes (tag_id, n)
    select tag_id, case when new.deleted_at is null then 1 else -1 end from device_tags where device_id = new.id;
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger devices_count_made after insert on devices referencing new table as made
  for each statement execute function count_devices_made();
--> statement-breakpoint
create trigger devices_count_gone after delete on devices referencing old table as gone
  for each statement execute function count_devices_gone();
--> statement-breakpoint
-- By row: most updates of devices change none of these, and then cost nothing here.
create trigger devices_count_changed after update on devices for each row
  when ((old.project_id, old.lifecycle, old.health_status, old.update_state, old.installed_version,
      old.installed_display_version, old.polling_interval_s, old.contact, old.deleted_at is null)
    is distinct from (new.project_id, new.lifecycle, new.health_status, new.update_state, new.installed_version,
      new.installed_display_version, new.polling_interval_s, new.contact, new.deleted_at is null))
  execute function count_device_changed();
--> statement-breakpoint
-- A tag of a deleted device does not count. The lock orders this with a concurrent deletion or restoration of the device.
create function count_tags_made() returns trigger language plpgsql as $$
begin
  perform from devices where id in (select device_id from made) order by id for share;
  insert into tag_count_changes (tag_id, n)
  select made.tag_id, count(*) from made join devices on devices.id = made.device_id
  where devices.deleted_at is null group by made.tag_id;
  return null;
end $$;
--> statement-breakpoint
create function count_tags_gone() returns trigger language plpgsql as $$
begin
  -- With its tag a whole count goes: the rows that remain are removed when rows are added up.
  perform from devices where id in (select device_id from gone join tags on tags.id = gone.tag_id) order by id for share;
  insert into tag_count_changes (tag_id, n)
  select gone.tag_id, -count(*) from gone join devices on devices.id = gone.device_id join tags on tags.id = gone.tag_id
  where devices.deleted_at is null group by gone.tag_id;
  return null;
end $$;
--> statement-breakpoint
-- Before its tags go with it: afterwards nothing tells whether the device counted.
create function uncount_tags() returns trigger language plpgsql as $$
begin
  insert into tag_count_changes (tag_id, n) select tag_id, -1 from device_tags where device_id = old.id;
  return old;
end $$;
--> statement-breakpoint
create trigger devices_uncount_tags before delete on devices for each row
  when (old.deleted_at is null) execute function uncount_tags();
--> statement-breakpoint
create trigger device_tags_count_made after insert on device_tags referencing new table as made
  for each statement execute function count_tags_made();
--> statement-breakpoint
create trigger device_tags_count_gone after delete on device_tags referencing old table as gone
  for each statement execute function count_tags_gone();
--> statement-breakpoint
insert into device_counts (project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
  polling_interval_s, contact, n)
select project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
  polling_interval_s, contact, count(*)
from devices where deleted_at is null group by 1, 2, 3, 4, 5, 6, 7, 8;
--> statement-breakpoint
insert into tag_counts (tag_id, n)
select tag_id, count(*) from device_tags join devices on devices.id = device_id where deleted_at is null group by tag_id;
