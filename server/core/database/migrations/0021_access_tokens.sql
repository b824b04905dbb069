CREATE TABLE "access_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"maker_id" text NOT NULL,
	"name" text NOT NULL,
	"token_hash" text NOT NULL,
	"prefix" text NOT NULL,
	"permissions" text[] NOT NULL,
	"lifetime_days" integer,
	"expires_at" timestamp (3) with time zone,
	"allowed_addresses" text[] DEFAULT '{}' NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"last_used_ip" text,
	"rotated_from" text,
	"replaced_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_maker_id_users_id_fk" FOREIGN KEY ("maker_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_rotated_from_access_tokens_id_fk" FOREIGN KEY ("rotated_from") REFERENCES "public"."access_tokens"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "access_tokens_token" ON "access_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "access_tokens_name" ON "access_tokens" USING btree ("project_id",lower("name")) WHERE "access_tokens"."revoked_at" is null and "access_tokens"."replaced_at" is null;--> statement-breakpoint
CREATE INDEX "access_tokens_project" ON "access_tokens" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "access_tokens_maker" ON "access_tokens" USING btree ("maker_id");--> statement-breakpoint
CREATE INDEX "access_tokens_rotated" ON "access_tokens" USING btree ("rotated_from");