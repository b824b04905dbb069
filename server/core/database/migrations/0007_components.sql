CREATE TABLE "components" (
	"id" text PRIMARY KEY NOT NULL,
	"asset_id" text NOT NULL,
	"project_id" text NOT NULL,
	"release_id" text NOT NULL,
	"name" text NOT NULL,
	"version" text,
	"purl" text,
	"licence" text,
	"hash" text,
	"supplier" text
);
--> statement-breakpoint
CREATE TABLE "sboms" (
	"asset_id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"release_id" text NOT NULL,
	"storage_key" text NOT NULL,
	"format" text,
	"format_version" text,
	"problem_field" text,
	"problem_rule" text,
	"component_count" integer NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "components" ADD CONSTRAINT "components_asset_id_sboms_asset_id_fk" FOREIGN KEY ("asset_id") REFERENCES "public"."sboms"("asset_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "components" ADD CONSTRAINT "components_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "components" ADD CONSTRAINT "components_release_id_releases_id_fk" FOREIGN KEY ("release_id") REFERENCES "public"."releases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sboms" ADD CONSTRAINT "sboms_asset_id_assets_id_fk" FOREIGN KEY ("asset_id") REFERENCES "public"."assets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sboms" ADD CONSTRAINT "sboms_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sboms" ADD CONSTRAINT "sboms_release_id_releases_id_fk" FOREIGN KEY ("release_id") REFERENCES "public"."releases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "components_asset" ON "components" USING btree ("asset_id");--> statement-breakpoint
CREATE INDEX "components_release_name" ON "components" USING btree ("release_id",lower("name"),"id");--> statement-breakpoint
CREATE INDEX "components_project_name" ON "components" USING btree ("project_id",lower("name"),"id");--> statement-breakpoint
CREATE INDEX "components_project_version" ON "components" USING btree ("project_id","version","id");--> statement-breakpoint
CREATE INDEX "sboms_release" ON "sboms" USING btree ("release_id");