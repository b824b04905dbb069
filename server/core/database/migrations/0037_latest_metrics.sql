-- All newest values of a device in one row, so that a batch of points changes one row. Room for the new version in the same page, so
-- that no index changes.
alter table latest_metrics rename to former_latest_metrics;--> statement-breakpoint
CREATE TABLE "latest_metrics" (
	"device_id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"metrics" jsonb NOT NULL,
	"readings" json NOT NULL
) with (fillfactor = 70);
--> statement-breakpoint
insert into latest_metrics (device_id, project_id, metrics, readings)
select device_id, project_id, jsonb_agg(jsonb_build_array(name, unit) order by name),
  json_agg(
    case
      when level = 'healthy' then json_build_array((extract(epoch from at) * 1000)::bigint, value)
      else json_build_array((extract(epoch from at) * 1000)::bigint, value, level, (extract(epoch from since) * 1000)::bigint,
        (extract(epoch from eased_at) * 1000)::bigint)
    end
    order by name
  )
from former_latest_metrics group by device_id, project_id;
--> statement-breakpoint
drop table former_latest_metrics;--> statement-breakpoint
drop function count_metric_changed();--> statement-breakpoint
drop function metric_value(text, text);--> statement-breakpoint
ALTER TABLE "latest_metrics" ADD CONSTRAINT "latest_metrics_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "latest_metrics" ADD CONSTRAINT "latest_metrics_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- The text of a metric is the value of its count. An inserted row has no old metrics, and a deleted one no new metrics.
create function count_metrics_changed() returns trigger language plpgsql as $$
begin
  insert into value_count_changes (project_id, kind, value, n)
  select project_id, 'metric', value, sum(n) from (
    select old.project_id, metric::text as value, -1 as n from jsonb_array_elements(old.metrics) as metric
    union all
    select new.project_id, metric::text, 1 from jsonb_array_elements(new.metrics) as metric
  ) as difference group by 1, 2, 3 having sum(n) <> 0;
  return null;
end $$;
--> statement-breakpoint
create trigger latest_metrics_count_ends after insert or delete on latest_metrics
  for each row execute function count_metrics_changed();
--> statement-breakpoint
-- Most batches change the readings only, and then cost nothing here.
create trigger latest_metrics_count_changed after update on latest_metrics for each row
  when ((old.project_id, old.metrics) is distinct from (new.project_id, new.metrics))
  execute function count_metrics_changed();
