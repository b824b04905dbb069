CREATE TABLE "ddi_actions" (
	"device_id" text NOT NULL,
	"id" bigint NOT NULL,
	"project_id" text NOT NULL,
	"rollout_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"served_to" bigint DEFAULT 0 NOT NULL,
	"closed_at" timestamp (3) with time zone,
	"cancel_refused_at" timestamp (3) with time zone,
	CONSTRAINT "ddi_actions_device_id_id_pk" PRIMARY KEY("device_id","id")
);
--> statement-breakpoint
CREATE TABLE "ddi_devices" (
	"device_id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"gateway_token_id" text,
	"last_action_id" bigint,
	"config_at" timestamp (3) with time zone,
	"config_asked" boolean DEFAULT false NOT NULL,
	"last_report" text,
	"last_report_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "ddi_actions" ADD CONSTRAINT "ddi_actions_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ddi_actions" ADD CONSTRAINT "ddi_actions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ddi_actions" ADD CONSTRAINT "ddi_actions_rollout_id_rollouts_id_fk" FOREIGN KEY ("rollout_id") REFERENCES "public"."rollouts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ddi_devices" ADD CONSTRAINT "ddi_devices_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ddi_devices" ADD CONSTRAINT "ddi_devices_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ddi_actions_rollout" ON "ddi_actions" USING btree ("rollout_id","device_id");