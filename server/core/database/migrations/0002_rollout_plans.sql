ALTER TABLE "rollout_waves" ADD COLUMN "tag" text;--> statement-breakpoint
ALTER TABLE "rollout_waves" ADD COLUMN "share" double precision;--> statement-breakpoint
ALTER TABLE "rollout_waves" ADD COLUMN "critical_before" integer;--> statement-breakpoint
ALTER TABLE "rollouts" ADD COLUMN "backoff" jsonb DEFAULT '{"first_s":300,"factor":2,"max_s":86400}'::jsonb NOT NULL;