DROP INDEX "rollout_devices_state";--> statement-breakpoint
ALTER TABLE "rollout_devices" ADD COLUMN "name" text NOT NULL DEFAULT '';--> statement-breakpoint
-- A new name concerns no copy of an update.
drop trigger rollout_devices_moved on rollout_devices;--> statement-breakpoint
create trigger rollout_devices_moved after update on rollout_devices referencing new table as changed
  for each statement when (pg_trigger_depth() = 0) execute function copy_update_to_devices();
--> statement-breakpoint
create function rename_updates() returns trigger language plpgsql as $$
begin
  update rollout_devices set name = new.name where device_id = new.id;
  return null;
end $$;
--> statement-breakpoint
create trigger devices_rename_updates after update on devices for each row
  when (old.name is distinct from new.name) execute function rename_updates();
--> statement-breakpoint
alter table rollout_devices disable trigger user;--> statement-breakpoint
update rollout_devices set name = devices.name from devices where devices.id = rollout_devices.device_id;--> statement-breakpoint
alter table rollout_devices enable trigger user;--> statement-breakpoint
ALTER TABLE "rollout_devices" ALTER COLUMN "name" DROP DEFAULT;--> statement-breakpoint
CREATE INDEX "rollout_devices_state" ON "rollout_devices" USING btree ("rollout_id","wave","state","name","device_id");
