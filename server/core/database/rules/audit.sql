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

-- A partition does not inherit statement triggers: each gets its own.
create function guard_audit_partitions() returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part regclass;
begin
  for part in
    select inhrelid::regclass from pg_inherits
    where inhparent = 'audit_entries'::regclass
      and not exists (select from pg_trigger where tgrelid = inhrelid and tgname = 'audit_partition_no_truncate')
  loop
    execute format('create trigger audit_partition_no_truncate before truncate on %s
      for each statement execute function refuse_audit_change()', part);
  end loop;
end $$;
select guard_audit_partitions();

-- The hosts' role may only read audit_chains. An entry that continues its chain moves the head; another one is refused.
create function lock_audit_chain(chain text, out sequence bigint, out hash text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  genesis constant text := repeat('0', 64);
begin
  insert into audit_chains (id, sequence, hash, checkpoint_hash) values (chain, 0, genesis, genesis) on conflict do nothing;
  select audit_chains.sequence, audit_chains.hash into sequence, hash from audit_chains where id = chain for update;
end $$;
create function move_audit_head() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update audit_chains set sequence = new.sequence, hash = new.hash
  where id = new.chain_id and sequence = new.sequence - 1 and hash = new.prev_hash;
  if not found then
    raise exception 'the entry does not continue its audit chain' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;
create trigger audit_entries_move_head after insert on audit_entries for each row execute function move_audit_head();

-- For a role that owns the tables: a chain changes by a new entry or by retention.
create function refuse_chain_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (pg_trigger_depth() > 1 or current_setting('teasel.retention', true) = 'on') then return new; end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_chains_append_only before update or delete on audit_chains
  for each row execute function refuse_chain_change();
create trigger audit_chains_no_truncate before truncate on audit_chains
  for each statement execute function refuse_chain_change();
revoke execute on function lock_audit_chain(text), guard_audit_partitions() from public;
