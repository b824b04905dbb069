-- How many entries of a log have which value, so that neither its total nor its filters read the log. Their rows belong to one chain:
-- its lock, which an entry and retention take first, also orders the changes of its counts.
CREATE TABLE "audit_counts" (
	"chain_id" text NOT NULL,
	"project_id" text NOT NULL,
	"field" text NOT NULL,
	"value" text NOT NULL,
	"n" bigint NOT NULL,
	"newest" bigint NOT NULL,
	"kind" text,
	"name" text,
	CONSTRAINT "audit_counts_chain_id_project_id_field_value_pk" PRIMARY KEY("chain_id","project_id","field","value")
);
--> statement-breakpoint
CREATE INDEX "audit_counts_most" ON "audit_counts" USING btree ("chain_id","project_id","field","n" DESC NULLS LAST,"newest" DESC NULLS LAST);--> statement-breakpoint
-- An entry counts in the log of its chain, and in that of its project if it has one.
create function audit_values(project text, action text, actor jsonb, target jsonb, result text)
  returns table (log text, field text, value text, kind text, name text) language sql immutable parallel safe as $$
  select log, field, value, kind, name
  from (values (''), (project)) as logs (log),
    (values
      ('action', action, null, null),
      ('actor', actor ->> 'id', actor ->> 'kind', actor ->> 'name'),
      ('kind', target ->> 'kind', null, null),
      ('result', result, null, null)
    ) as counted (field, value, kind, name)
  where log is not null and value is not null
$$;--> statement-breakpoint
-- The role of the hosts may only read the counts.
create function count_audit_added() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into audit_counts (chain_id, project_id, field, value, n, newest, kind, name)
  select chain_id, log, field, value, count(*), max(sequence),
    (array_agg(kind order by sequence desc))[1], (array_agg(name order by sequence desc))[1]
  from changed, audit_values(project_id, action, actor, target, result) group by 1, 2, 3, 4
  on conflict (chain_id, project_id, field, value)
    do update set n = audit_counts.n + excluded.n, newest = excluded.newest, kind = excluded.kind, name = excluded.name;
  return null;
end $$;--> statement-breakpoint
create function count_audit_removed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update audit_counts set n = audit_counts.n - removed.n
  from (
    select chain_id, log, field, value, count(*) as n
    from changed, audit_values(project_id, action, actor, target, result) group by 1, 2, 3, 4
  ) as removed
  where (audit_counts.chain_id, project_id, audit_counts.field, audit_counts.value)
    = (removed.chain_id, removed.log, removed.field, removed.value);
  delete from audit_counts where n = 0 and chain_id in (select chain_id from changed);
  return null;
end $$;--> statement-breakpoint
create trigger audit_entries_count_added after insert on audit_entries
  referencing new table as changed for each statement execute function count_audit_added();--> statement-breakpoint
create trigger audit_entries_count_removed after delete on audit_entries
  referencing old table as changed for each statement execute function count_audit_removed();--> statement-breakpoint
-- No process adds entries meanwhile: the triggers' creation has locked the log until the end of the transaction.
insert into audit_counts (chain_id, project_id, field, value, n, newest, kind, name)
select chain_id, log, field, value, count(*), max(sequence),
  (array_agg(kind order by sequence desc))[1], (array_agg(name order by sequence desc))[1]
from audit_entries, audit_values(project_id, action, actor, target, result) group by 1, 2, 3, 4;
