ALTER TABLE "rollout_devices" ADD COLUMN "offer_version_text" text;--> statement-breakpoint
ALTER TABLE "ddi_devices" ADD COLUMN "config_linked" boolean DEFAULT false NOT NULL;