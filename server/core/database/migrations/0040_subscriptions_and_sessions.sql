DROP INDEX "subscriptions_user";--> statement-breakpoint
DROP INDEX "subscriptions_organization";--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "waits_for" text;--> statement-breakpoint
ALTER TABLE "billing_events" ADD COLUMN "object" jsonb;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "started_at" timestamp (3) with time zone;--> statement-breakpoint
-- The provider names the start in the next event.
update subscriptions set started_at = created_at;--> statement-breakpoint
ALTER TABLE "subscriptions" ALTER COLUMN "started_at" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "event_type" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "event_id" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "is_current" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "billing_events_received" ON "billing_events" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "billing_events_waiting" ON "billing_events" USING btree ("waits_for") WHERE "billing_events"."waits_for" is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_all_of_user" ON "subscriptions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "subscriptions_all_of_organization" ON "subscriptions" USING btree ("organization_id");--> statement-breakpoint
CREATE INDEX "sessions_sign_in" ON "sessions" USING btree ("sign_in_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_ins_expiry" ON "sign_ins" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_user" ON "subscriptions" USING btree ("user_id") WHERE "subscriptions"."is_current";--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_organization" ON "subscriptions" USING btree ("organization_id") WHERE "subscriptions"."is_current";