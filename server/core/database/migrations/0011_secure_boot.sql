CREATE TABLE "bundle_artifacts" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"bundle_id" text NOT NULL,
	"role" text NOT NULL,
	"file_name" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text,
	"load_address" text,
	"state" text NOT NULL,
	"reject_reason" text,
	"storage_key" text,
	"signature" jsonb,
	"parsed" jsonb
);
--> statement-breakpoint
CREATE TABLE "secure_boot_bundles" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"created_by" jsonb,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"version" bigint NOT NULL,
	"platform" text NOT NULL,
	"hardware_models" text[] NOT NULL,
	"state" text NOT NULL,
	"state_reason" text,
	"rollback_version" bigint DEFAULT 0 NOT NULL,
	"keys" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"key_hash" text,
	"fuse_config" jsonb NOT NULL,
	"checks" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"check_run" integer DEFAULT 0 NOT NULL,
	"check_attempts" integer DEFAULT 0 NOT NULL,
	"check_done" integer DEFAULT 0 NOT NULL,
	"check_total" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "secure_boot_bundle_id" text;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "secure_boot_key_hash" text;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "fuse_words" jsonb;--> statement-breakpoint
ALTER TABLE "releases" ADD COLUMN "secure_boot_bundle_id" text;--> statement-breakpoint
ALTER TABLE "bundle_artifacts" ADD CONSTRAINT "bundle_artifacts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bundle_artifacts" ADD CONSTRAINT "bundle_artifacts_bundle_id_secure_boot_bundles_id_fk" FOREIGN KEY ("bundle_id") REFERENCES "public"."secure_boot_bundles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secure_boot_bundles" ADD CONSTRAINT "secure_boot_bundles_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "bundle_artifacts_name" ON "bundle_artifacts" USING btree ("bundle_id","file_name");--> statement-breakpoint
CREATE INDEX "bundle_artifacts_project" ON "bundle_artifacts" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "bundle_artifacts_storage_key" ON "bundle_artifacts" USING btree ("storage_key");--> statement-breakpoint
CREATE INDEX "secure_boot_bundles_by_version" ON "secure_boot_bundles" USING btree ("project_id","version","id");--> statement-breakpoint
CREATE INDEX "secure_boot_bundles_by_created" ON "secure_boot_bundles" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "secure_boot_bundles_state" ON "secure_boot_bundles" USING btree ("state");--> statement-breakpoint
ALTER TABLE "releases" ADD CONSTRAINT "releases_secure_boot_bundle_id_secure_boot_bundles_id_fk" FOREIGN KEY ("secure_boot_bundle_id") REFERENCES "public"."secure_boot_bundles"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "devices_secure_boot_bundle" ON "devices" USING btree ("secure_boot_bundle_id") WHERE "devices"."secure_boot_bundle_id" is not null;--> statement-breakpoint
CREATE INDEX "releases_secure_boot_bundle" ON "releases" USING btree ("secure_boot_bundle_id");