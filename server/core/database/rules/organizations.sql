-- T-07: whatever the programs above do, no organization is left without an owner when a transaction ends.
create function refuse_ownerless() returns trigger language plpgsql as $$
begin
  if exists (select from organizations where id = old.organization_id)
    and not exists (select from members where organization_id = old.organization_id and base_role = 'owner')
  then raise exception 'an organization needs an owner' using errcode = 'check_violation', constraint = 'members_last_owner';
  end if;
  return null;
end $$;
create constraint trigger members_last_owner after update or delete on members deferrable initially deferred
  for each row when (old.base_role = 'owner') execute function refuse_ownerless();
