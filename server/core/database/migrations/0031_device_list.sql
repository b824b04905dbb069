CREATE TABLE "device_terms" (
	"device_id" text PRIMARY KEY NOT NULL,
	"terms" bigint[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "saved_views" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"owner_id" text NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"columns" jsonb NOT NULL,
	"dense" boolean NOT NULL,
	"shared" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "device_terms" ADD CONSTRAINT "device_terms_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "device_terms_by_term" ON "device_terms" USING gin ("terms") WITH (gin_pending_list_limit=64);--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_owner_name" ON "saved_views" USING btree ("project_id","owner_id",lower("name"));--> statement-breakpoint
CREATE INDEX "saved_views_shared" ON "saved_views" USING btree ("project_id","name") WHERE "saved_views"."shared";--> statement-breakpoint
CREATE INDEX "devices_quarantined" ON "devices" USING btree ("project_id",lower("name")) WHERE "devices"."deleted_at" is null and "devices"."quarantine_until" is not null;--> statement-breakpoint
-- The first 64 bits of an MD5: a search compares the few rows that it finds with the values themselves.
create function device_term(content text) returns bigint language sql immutable strict parallel safe as $$
  select ('x' || left(md5(content), 16))::bit(64)::bigint
$$;
--> statement-breakpoint
create function attribute_term(project text, name text, value text) returns bigint language sql immutable strict parallel safe as $$
  select device_term(project || E'\nattribute\n' || name || E'\n' || value)
$$;
--> statement-breakpoint
create function key_term(project text, fingerprint text) returns bigint language sql immutable strict parallel safe as $$
  select device_term(project || E'\nkey\n' || fingerprint)
$$;
--> statement-breakpoint
create function device_terms(project text, attributes jsonb, trusted_keys text[]) returns bigint[] language sql immutable parallel safe as $$
  select array(
    select attribute_term(project, key, value) from jsonb_each_text(attributes) where value is not null
    union select key_term(project, fingerprint) from unnest(trusted_keys) as fingerprint
  )
$$;
--> statement-breakpoint
create function write_device_terms() returns trigger language plpgsql as $$
begin
  insert into device_terms (device_id, terms)
  select id, device_terms(project_id, attributes, trusted_keys) from made where deleted_at is null;
  return null;
end $$;
--> statement-breakpoint
create function change_device_terms() returns trigger language plpgsql as $$
begin
  delete from device_terms where device_id = new.id;
  insert into device_terms (device_id, terms)
  select new.id, device_terms(new.project_id, new.attributes, new.trusted_keys) where new.deleted_at is null;
  return null;
end $$;
--> statement-breakpoint
create trigger devices_write_terms after insert on devices referencing new table as made
  for each statement execute function write_device_terms();
--> statement-breakpoint
-- Contacts write none of these columns.
create trigger devices_change_terms after update of project_id, attributes, trusted_keys, deleted_at on devices for each row
  when ((old.project_id, old.attributes, old.trusted_keys, old.deleted_at is null)
    is distinct from (new.project_id, new.attributes, new.trusted_keys, new.deleted_at is null))
  execute function change_device_terms();
--> statement-breakpoint
insert into device_terms (device_id, terms)
select id, device_terms(project_id, attributes, trusted_keys) from devices where deleted_at is null;
