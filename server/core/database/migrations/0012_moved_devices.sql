ALTER TABLE "devices" ADD COLUMN "moved_to_id" text;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "former_project_ids" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "devices_moved" ON "devices" USING btree ("moved_to_id") WHERE "devices"."moved_to_id" is not null;