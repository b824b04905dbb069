ALTER TABLE "assets" ADD COLUMN "sha1" text;--> statement-breakpoint
ALTER TABLE "assets" ADD COLUMN "md5" text;