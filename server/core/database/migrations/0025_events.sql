CREATE TABLE "events" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"type" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"data" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_state_changes" (
	"device_id" text NOT NULL,
	"kind" text NOT NULL,
	"was" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "device_state_changes_device_id_kind_pk" PRIMARY KEY("device_id","kind")
);
--> statement-breakpoint
ALTER TABLE "device_state_changes" ADD CONSTRAINT "device_state_changes_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "events_project" ON "events" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "events_project_type" ON "events" USING btree ("project_id","type","at");--> statement-breakpoint
CREATE INDEX "events_at" ON "events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "device_state_changes_due" ON "device_state_changes" USING btree ("due_at");