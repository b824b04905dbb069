CREATE TABLE "device_job_rows" (
	"job_id" text NOT NULL,
	"position" integer NOT NULL,
	"device_id" text NOT NULL,
	"name" text NOT NULL,
	"result" text DEFAULT 'waiting' NOT NULL,
	"code" text,
	"message" text,
	"given" jsonb,
	"change" jsonb,
	CONSTRAINT "device_job_rows_job_id_position_pk" PRIMARY KEY("job_id","position")
);
--> statement-breakpoint
CREATE TABLE "device_jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"chain_id" text NOT NULL,
	"action" text NOT NULL,
	"args" jsonb NOT NULL,
	"maker" jsonb NOT NULL,
	"state" text NOT NULL,
	"stop_reason" text,
	"finished_at" timestamp (3) with time zone,
	"position" integer DEFAULT 0 NOT NULL,
	"total" integer NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"unchanged" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"skipped" integer DEFAULT 0 NOT NULL,
	"undo_of" text,
	"undone_by" text
);
--> statement-breakpoint
ALTER TABLE "device_job_rows" ADD CONSTRAINT "device_job_rows_job_id_device_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."device_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_jobs" ADD CONSTRAINT "device_jobs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "device_job_rows_result" ON "device_job_rows" USING btree ("job_id","result","position");--> statement-breakpoint
CREATE INDEX "device_jobs_project" ON "device_jobs" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "device_jobs_created" ON "device_jobs" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "device_jobs_running" ON "device_jobs" USING btree ("id") WHERE "device_jobs"."state" = 'running';