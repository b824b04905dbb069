-- Arrays become text by the settings of a session in general; those of texts do not.
create function keys_text(keys text[]) returns text language sql immutable parallel safe as $$
  select array_to_string(keys, ' ')
$$;
--> statement-breakpoint
CREATE TABLE "value_count_changes" (
	"project_id" text NOT NULL,
	"kind" text NOT NULL,
	"value" text NOT NULL,
	"n" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "value_counts" (
	"project_id" text NOT NULL,
	"kind" text NOT NULL,
	"value" text NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "value_counts_value" UNIQUE("project_id","kind","value")
);
--> statement-breakpoint
CREATE INDEX "value_count_changes_value" ON "value_count_changes" USING btree ("project_id","kind","value");--> statement-breakpoint
CREATE INDEX "devices_by_keys" ON "devices" USING btree ("project_id",md5(keys_text("trusted_keys")),lower("name")) WHERE "devices"."deleted_at" is null and "devices"."lifecycle" = 'active' and "devices"."protocol" = 'teasel';
--> statement-breakpoint
-- What a device adds to the counts by one value.
create function device_values(hardware_model text, installed_release_id text, secure_boot_bundle_id text, secure_boot_state text,
  import_id text, last_seen_at timestamptz, lifecycle text, protocol text, trusted_keys text[])
returns table (kind text, value text) language sql immutable parallel safe as $$
  select kind, value from (values
    ('model', hardware_model),
    ('release', installed_release_id),
    ('bundle', secure_boot_bundle_id || case when secure_boot_state = 'closed' then ' closed' else '' end),
    ('import', import_id || case when last_seen_at is null then '' else ' seen' end),
    ('keys', case when lifecycle = 'active' and protocol = 'teasel' then keys_text(trusted_keys) end)
  ) as one (kind, value) where value is not null
$$;
--> statement-breakpoint
create function metric_value(name text, unit text) returns text language sql immutable parallel safe as $$
  select jsonb_build_array(name, unit)::text
$$;
--> statement-breakpoint
create function count_values_made() returns trigger language plpgsql as $$
begin
  insert into value_count_changes (project_id, kind, value, n)
  select project_id, one.kind, one.value, count(*)
  from made, device_values(made.hardware_model, made.installed_release_id, made.secure_boot_bundle_id, made.secure_boot_state,
    made.import_id, made.last_seen_at, made.lifecycle, made.protocol, made.trusted_keys) as one
  where deleted_at is null group by 1, 2, 3;
  return null;
end $$;
--> statement-breakpoint
create function count_values_gone() returns trigger language plpgsql as $$
begin
  insert into value_count_changes (project_id, kind, value, n)
  select project_id, one.kind, one.value, -count(*)
  from gone, device_values(gone.hardware_model, gone.installed_release_id, gone.secure_boot_bundle_id, gone.secure_boot_state,
    gone.import_id, gone.last_seen_at, gone.lifecycle, gone.protocol, gone.trusted_keys) as one
  where deleted_at is null group by 1, 2, 3;
  return null;
end $$;
--> statement-breakpoint
create function count_values_changed() returns trigger language plpgsql as $$
begin
  insert into value_count_changes (project_id, kind, value, n)
  select project_id, kind, value, sum(n) from (
    select old.project_id, one.kind, one.value, -1 as n
    from device_values(old.hardware_model, old.installed_release_id, old.secure_boot_bundle_id, old.secure_boot_state,
      old.import_id, old.last_seen_at, old.lifecycle, old.protocol, old.trusted_keys) as one
    where old.deleted_at is null
    union all
    select new.project_id, one.kind, one.value, 1
    from device_values(new.hardware_model, new.installed_release_id, new.secure_boot_bundle_id, new.secure_boot_state,
      new.import_id, new.last_seen_at, new.lifecycle, new.protocol, new.trusted_keys) as one
    where new.deleted_at is null
  ) as difference group by 1, 2, 3 having sum(n) <> 0;
  return null;
end $$;
--> statement-breakpoint
create trigger devices_count_values_made after insert on devices referencing new table as made
  for each statement execute function count_values_made();
--> statement-breakpoint
create trigger devices_count_values_gone after delete on devices referencing old table as gone
  for each statement execute function count_values_gone();
--> statement-breakpoint
create trigger devices_count_values_changed after update on devices for each row
  when ((old.project_id, old.hardware_model, old.installed_release_id, old.secure_boot_bundle_id, old.secure_boot_state,
    old.import_id, old.last_seen_at is null, old.lifecycle, old.protocol, old.trusted_keys, old.deleted_at is null)
    is distinct from (new.project_id, new.hardware_model, new.installed_release_id, new.secure_boot_bundle_id, new.secure_boot_state,
    new.import_id, new.last_seen_at is null, new.lifecycle, new.protocol, new.trusted_keys, new.deleted_at is null))
  execute function count_values_changed();
--> statement-breakpoint
create function count_metric_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into value_count_changes values (old.project_id, 'metric', metric_value(old.name, old.unit), -1);
  end if;
  if tg_op <> 'DELETE' then
    insert into value_count_changes values (new.project_id, 'metric', metric_value(new.name, new.unit), 1);
  end if;
  return null;
end $$;
--> statement-breakpoint
-- By row: a batch of points that replaces values adds no row, and then costs nothing here.
create trigger latest_metrics_count_ends after insert or delete on latest_metrics
  for each row execute function count_metric_changed();
--> statement-breakpoint
create trigger latest_metrics_count_unit after update on latest_metrics
  for each row when ((old.project_id, old.name, old.unit) is distinct from (new.project_id, new.name, new.unit))
  execute function count_metric_changed();
--> statement-breakpoint
insert into value_counts (project_id, kind, value, n)
select project_id, one.kind, one.value, count(*)
from devices, device_values(devices.hardware_model, devices.installed_release_id, devices.secure_boot_bundle_id,
  devices.secure_boot_state, devices.import_id, devices.last_seen_at, devices.lifecycle, devices.protocol,
  devices.trusted_keys) as one
where deleted_at is null group by 1, 2, 3
union all
select project_id, 'metric', metric_value(name, unit), count(*) from latest_metrics group by 1, 2, 3;
