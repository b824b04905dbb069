CREATE TABLE "former_imported_tokens" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "former_imported_tokens" ADD CONSTRAINT "former_imported_tokens_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "former_imported_tokens_project" ON "former_imported_tokens" USING btree ("project_id");
--> statement-breakpoint
-- The prefix of an imported token is empty: another server made it. Nothing is kept of a project that is deleted: its row is gone
-- when its tokens go with it.
create function keep_imported_token() returns trigger language plpgsql as $$
begin
  insert into former_imported_tokens (token_hash, project_id)
  select old.token_hash, id from projects where id = old.project_id
  on conflict (token_hash) do update set project_id = excluded.project_id;
  return null;
end $$;
--> statement-breakpoint
create trigger device_tokens_keep_imported after delete on device_tokens for each row
  when (old.prefix = '') execute function keep_imported_token();
