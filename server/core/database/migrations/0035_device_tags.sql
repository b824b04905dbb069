DROP INDEX "device_tags_tag";--> statement-breakpoint
ALTER TABLE "device_tags" DROP CONSTRAINT "device_tags_device_id_tag_id_pk";--> statement-breakpoint
ALTER TABLE "device_tags" ADD CONSTRAINT "device_tags_tag_id_device_id_pk" PRIMARY KEY("tag_id","device_id");--> statement-breakpoint
CREATE INDEX "device_tags_device" ON "device_tags" USING hash ("device_id");