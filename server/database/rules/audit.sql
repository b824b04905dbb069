create table audit_entries (
  chain_id text not null,
  sequence bigint not null,
  id text not null,
  occurred_at timestamptz(3) not null,
  action text not null,
  result text not null,
  actor jsonb not null,
  credential jsonb not null,
  source_ip text,
  user_agent text,
  request_id text not null,
  project_id text,
  target jsonb not null,
  changes jsonb not null,
  reason text,
  prev_hash text not null,
  hash text not null,
  primary key (chain_id, sequence, occurred_at)
) partition by range (occurred_at);
create table audit_entries_default partition of audit_entries default;
create index audit_entries_newest on audit_entries (chain_id, sequence desc);
create index audit_entries_project on audit_entries (project_id, sequence desc);

-- T-20: append-only. Retention sets teasel.retention in its own transaction, after it has moved the checkpoint.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('teasel.retention', true) = 'on' then return old; end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function refuse_audit_change();
create trigger audit_entries_no_truncate before truncate on audit_entries
  for each statement execute function refuse_audit_change();
