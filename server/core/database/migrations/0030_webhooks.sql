CREATE TABLE "webhook_deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"webhook_id" text NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"data" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"state" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone,
	"last_try_at" timestamp (3) with time zone,
	"url" text,
	"status" integer,
	"error" text,
	"duration_ms" integer,
	"answer" text
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"maker_id" text,
	"url" text NOT NULL,
	"types" text[] NOT NULL,
	"state" text NOT NULL,
	"state_reason" text,
	"secret" text NOT NULL,
	"secret_prefix" text NOT NULL,
	"previous_secret" text,
	"previous_until" timestamp (3) with time zone,
	"failing_since" timestamp (3) with time zone,
	"last_delivery_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_maker_id_users_id_fk" FOREIGN KEY ("maker_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_list" ON "webhook_deliveries" USING btree ("webhook_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("webhook_id","next_try_at") WHERE "webhook_deliveries"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhooks_project" ON "webhooks" USING btree ("project_id","created_at","id");
--> statement-breakpoint
-- Each event is queued for its webhooks in the transaction that writes it. The id is made of the event and the webhook, so that it
-- sorts by the time of the event.
create function queue_webhook_deliveries() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (id, project_id, webhook_id, event_id, type, at, data, created_at, state, next_try_at)
  select left(made.id, 10) || upper(left(md5(made.id || ' ' || w.id), 16)), made.project_id, w.id, made.id, made.type, made.at,
    made.data, made.at, 'waiting', made.at
  from made inner join webhooks w on w.project_id = made.project_id
  where w.state <> 'disabled' and regexp_replace(made.type, '\.many$', '') = any(w.types);
  return null;
end $$;
--> statement-breakpoint
create trigger events_queue_deliveries after insert on events referencing new table as made
  for each statement execute function queue_webhook_deliveries();
