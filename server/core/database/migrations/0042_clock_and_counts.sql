CREATE TABLE "clock_readings" (
	"id" integer PRIMARY KEY NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	"trusted_at" timestamp (3) with time zone NOT NULL,
	"jumped_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "next_polling_s" integer;--> statement-breakpoint
CREATE INDEX "devices_by_key_list" ON "devices" USING btree ("project_id","key_list_counter") WHERE "devices"."deleted_at" is null and "devices"."key_list_counter" > 0;
--> statement-breakpoint
-- Metrics of deleted devices do not count, as their other values. An inserted row has no old metrics, and a deleted one no new ones.
-- A row that goes with its device is subtracted before the device goes.
create or replace function count_metrics_changed() returns trigger language plpgsql as $$
begin
  insert into value_count_changes (project_id, kind, value, n)
  select project_id, 'metric', value, sum(n) from (
    select old.project_id, metric::text as value, -1 as n from jsonb_array_elements(old.metrics) as metric
    union all
    select new.project_id, metric::text, 1 from jsonb_array_elements(new.metrics) as metric
  ) as difference
  where exists (select from devices where id = coalesce(new.device_id, old.device_id) and deleted_at is null)
  group by 1, 2, 3 having sum(n) <> 0;
  return null;
end $$;
--> statement-breakpoint
create function count_metrics_of(device text, times int) returns void language sql as $$
  insert into value_count_changes (project_id, kind, value, n)
  select project_id, 'metric', metric::text, times from latest_metrics, jsonb_array_elements(metrics) as metric
  where device_id = device
$$;
--> statement-breakpoint
create function count_metrics_of_device() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform count_metrics_of(old.id, -1);
    return old;
  end if;
  perform count_metrics_of(new.id, case when new.deleted_at is null then 1 else -1 end);
  return null;
end $$;
--> statement-breakpoint
create trigger devices_count_metrics_gone before delete on devices for each row
  when (old.deleted_at is null) execute function count_metrics_of_device();
--> statement-breakpoint
create trigger devices_count_metrics_changed after update on devices for each row
  when ((old.deleted_at is null) is distinct from (new.deleted_at is null)) execute function count_metrics_of_device();
--> statement-breakpoint
insert into value_count_changes (project_id, kind, value, n)
select m.project_id, 'metric', metric::text, -count(*)
from latest_metrics m inner join devices d on d.id = m.device_id, jsonb_array_elements(m.metrics) as metric
where d.deleted_at is not null group by 1, 2, 3;
