CREATE TABLE "key_lists" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"counter" integer NOT NULL,
	"envelope" text NOT NULL,
	"signed_by" text NOT NULL,
	"fingerprints" text[] NOT NULL,
	"created_by" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "device_tokens" ADD COLUMN "used_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "device_tokens" ADD COLUMN "replaced_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "key_list_counter" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "key_lists" ADD CONSTRAINT "key_lists_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "key_lists_project_counter" ON "key_lists" USING btree ("project_id","counter");