ALTER TABLE "sboms" ADD COLUMN "notes" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "sboms" ADD COLUMN "note_count" integer DEFAULT 0 NOT NULL;