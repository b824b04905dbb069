ALTER TABLE "device_counts" DROP CONSTRAINT "device_counts_values";--> statement-breakpoint
DROP INDEX "devices_installed";--> statement-breakpoint
ALTER TABLE "device_count_changes" ADD COLUMN "installed_release_id" text;--> statement-breakpoint
ALTER TABLE "device_counts" ADD COLUMN "installed_release_id" text;--> statement-breakpoint
CREATE INDEX "releases_revoked" ON "releases" USING btree ("project_id","id") WHERE "releases"."state" = 'revoked';--> statement-breakpoint
CREATE INDEX "devices_installed" ON "devices" USING btree ("installed_release_id",lower("name"));--> statement-breakpoint
ALTER TABLE "device_counts" ADD CONSTRAINT "device_counts_values" UNIQUE NULLS NOT DISTINCT("project_id","lifecycle","health_status","update_state","installed_version","installed_display_version","installed_release_id","polling_interval_s","contact");--> statement-breakpoint
-- The releases of a project that nobody may install any more, for those who count and list devices.
create function revoked_releases(project text) returns table (id text, reason text) language sql stable parallel safe as $$
  select id, coalesce(state_reason, '') from releases where project_id = project and state = 'revoked'
$$;
--> statement-breakpoint
create or replace function count_devices_made() returns trigger language plpgsql as $$
begin
  insert into device_count_changes (project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
    installed_release_id, polling_interval_s, contact, n)
  select project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
    installed_release_id, polling_interval_s, contact, count(*)
  from made where deleted_at is null group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
  return null;
end $$;
--> statement-breakpoint
create or replace function count_devices_gone() returns trigger language plpgsql as $$
begin
  insert into device_count_changes (project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
    installed_release_id, polling_interval_s, contact, n)
  select project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
    installed_release_id, polling_interval_s, contact, -count(*)
  from gone where deleted_at is null group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
  return null;
end $$;
--> statement-breakpoint
create or replace function count_device_changed() returns trigger language plpgsql as $$
begin
  insert into device_count_changes (project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
    installed_release_id, polling_interval_s, contact, n)
  select old.project_id, old.lifecycle, old.health_status, old.update_state, old.installed_version, old.installed_display_version,
    old.installed_release_id, old.polling_interval_s, old.contact, -1
  where old.deleted_at is null
  union all
  select new.project_id, new.lifecycle, new.health_status, new.update_state, new.installed_version, new.installed_display_version,
    new.installed_release_id, new.polling_interval_s, new.contact, 1
  where new.deleted_at is null;
  if (old.deleted_at is null) <> (new.deleted_at is null) then
    insert into tag_count_changes (tag_id, n)
    select tag_id, case when new.deleted_at is null then 1 else -1 end from device_tags where device_id = new.id;
  end if;
  return null;
end $$;
--> statement-breakpoint
drop trigger devices_count_changed on devices;
--> statement-breakpoint
create trigger devices_count_changed after update on devices for each row
  when ((old.project_id, old.lifecycle, old.health_status, old.update_state, old.installed_version,
      old.installed_display_version, old.installed_release_id, old.polling_interval_s, old.contact, old.deleted_at is null)
    is distinct from (new.project_id, new.lifecycle, new.health_status, new.update_state, new.installed_version,
      new.installed_display_version, new.installed_release_id, new.polling_interval_s, new.contact, new.deleted_at is null))
  execute function count_device_changed();
--> statement-breakpoint
delete from device_count_changes;
--> statement-breakpoint
delete from device_counts;
--> statement-breakpoint
insert into device_counts (project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
  installed_release_id, polling_interval_s, contact, n)
select project_id, lifecycle, health_status, update_state, installed_version, installed_display_version,
  installed_release_id, polling_interval_s, contact, count(*)
from devices where deleted_at is null group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
