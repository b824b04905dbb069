DROP INDEX "rollout_devices_timed_out";--> statement-breakpoint
CREATE INDEX "rollout_devices_may_finish" ON "rollout_devices" USING btree ("rollout_id") WHERE "rollout_devices"."state" = 'timed_out' or ("rollout_devices"."state" = 'cancelled' and "rollout_devices"."offered_at" is not null)
          or ("rollout_devices"."state" = 'succeeded' and "rollout_devices"."abort_asked");