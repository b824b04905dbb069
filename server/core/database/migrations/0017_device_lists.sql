CREATE TABLE "device_texts" (
	"device_id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"text" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
DROP INDEX "devices_by_model";--> statement-breakpoint
DROP INDEX "devices_by_version";--> statement-breakpoint
DROP INDEX "devices_import";--> statement-breakpoint
ALTER TABLE "device_texts" ADD CONSTRAINT "device_texts_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "device_texts_by_text" ON "device_texts" USING btree ("project_id","text","device_id");--> statement-breakpoint
CREATE INDEX "devices_by_serial" ON "devices" USING btree ("project_id",coalesce("serial_number", ''),"id") WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_by_enrolled" ON "devices" USING btree ("project_id",coalesce("enrolled_at", 'epoch'::timestamptz),"id") WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_by_lifecycle" ON "devices" USING btree ("project_id","lifecycle",lower("name")) WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_of_version" ON "devices" USING btree ("project_id",coalesce("installed_display_version", "installed_version"::text),lower("name")) WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_by_connectivity" ON "devices" USING btree ("project_id",(case "contact" when 'online' then 0 when 'late' then 1 when 'offline' then 2 when 'never_seen' then 3 end),lower("name")) WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_by_health" ON "devices" USING btree ("project_id",(case case when "contact" in ('offline', 'never_seen') then 'unknown' else "health_status" end when 'critical' then 0 when 'warning' then 1 when 'unknown' then 2 when 'healthy' then 3 end),lower("name")) WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_by_update" ON "devices" USING btree ("project_id",(case case when "update_state" in ('queued', 'deferred') then 'waiting' when "update_state" in ('offered', 'downloading', 'downloaded', 'verifying', 'installing', 'rebooting', 'validating', 'claimed') then 'in_progress' when "update_state" in ('failed', 'rolled_back', 'timed_out') then 'failed' when "update_state" = 'succeeded' then 'succeeded' else 'none' end when 'in_progress' then 0 when 'failed' then 1 when 'waiting' then 2 when 'succeeded' then 3 when 'none' then 4 end),lower("name")) WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_deleted" ON "devices" USING btree ("project_id","deleted_at","id") WHERE "devices"."deleted_at" is not null and "devices"."moved_to_id" is null;--> statement-breakpoint
CREATE INDEX "devices_by_model" ON "devices" USING btree ("project_id","hardware_model",lower("name")) WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_by_version" ON "devices" USING btree ("project_id",coalesce("installed_version", 0),lower("name")) WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_import" ON "devices" USING btree ("import_id",lower("name")) WHERE "devices"."import_id" is not null;
--> statement-breakpoint
-- All parts of a text of one to three characters, each behind the project, so that a search reads the entries of its project only.
create function text_grams(project text, content text) returns text[] language sql immutable strict parallel safe as $$
  select array(
    select distinct project || substr(content, at, size)
    from generate_series(1, 3) size, generate_series(1, length(content) - size + 1) at
  )
$$;
--> statement-breakpoint
create function device_text(name text, serial_number text) returns text language sql immutable parallel safe as $$
  select lower(name) || E'\n' || lower(coalesce(serial_number, ''))
$$;
--> statement-breakpoint
create function write_device_texts() returns trigger language plpgsql as $$
begin
  insert into device_texts (device_id, project_id, text)
  select id, project_id, device_text(name, serial_number) from made where deleted_at is null;
  return null;
end $$;
--> statement-breakpoint
create function change_device_text() returns trigger language plpgsql as $$
begin
  delete from device_texts where device_id = new.id;
  insert into device_texts (device_id, project_id, text)
  select new.id, new.project_id, device_text(new.name, new.serial_number) where new.deleted_at is null;
  return null;
end $$;
--> statement-breakpoint
create trigger devices_write_texts after insert on devices referencing new table as made
  for each statement execute function write_device_texts();
--> statement-breakpoint
create trigger devices_change_text after update on devices for each row
  when ((old.project_id, old.name, old.serial_number, old.deleted_at is null)
    is distinct from (new.project_id, new.name, new.serial_number, new.deleted_at is null))
  execute function change_device_text();
--> statement-breakpoint
insert into device_texts (device_id, project_id, text)
select id, project_id, device_text(name, serial_number) from devices where deleted_at is null;
--> statement-breakpoint
-- A search reads the whole list of entries that are not merged yet: it stays small (kB).
create index device_texts_grams on device_texts using gin (text_grams(project_id, text)) with (gin_pending_list_limit = 64);
