CREATE TABLE "device_flaps" (
	"device_id" text NOT NULL,
	"project_id" text NOT NULL,
	"kind" text NOT NULL,
	"times" timestamp (3) with time zone[] NOT NULL,
	"often_at" timestamp (3) with time zone GENERATED ALWAYS AS (times[4]) STORED,
	CONSTRAINT "device_flaps_device_id_kind_pk" PRIMARY KEY("device_id","kind")
);
--> statement-breakpoint
ALTER TABLE "device_flaps" ADD CONSTRAINT "device_flaps_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "device_flaps_often" ON "device_flaps" USING btree ("project_id","often_at" DESC NULLS LAST);