CREATE TABLE "device_imports" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"file_name" text,
	"created_by" jsonb NOT NULL
);
--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "import_id" text;--> statement-breakpoint
ALTER TABLE "device_imports" ADD CONSTRAINT "device_imports_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "device_imports_project" ON "device_imports" USING btree ("project_id","id");--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_import_id_device_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."device_imports"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "devices_import" ON "devices" USING btree ("import_id") WHERE "devices"."import_id" is not null;