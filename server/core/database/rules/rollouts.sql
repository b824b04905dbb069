-- What a list of devices shows of updates lies on the device itself. A rollout that was not started shows nothing; a device
-- that is in several shows the one that is under way, else the newest.
create function copy_update_to_devices() returns trigger language plpgsql as $$
begin
  update devices set
    update_rollout_id = changed.rollout_id,
    update_release_id = releases.id,
    update_version = releases.version,
    update_display_version = releases.display_version,
    update_state = changed.state,
    update_state_since = changed.since,
    update_progress = changed.progress,
    update_bytes_done = changed.bytes_done,
    update_bytes_total = changed.bytes_total,
    update_attempt = changed.attempt,
    update_error_code = changed.error_code,
    update_error_text = changed.error_text
  from changed
  join rollouts on rollouts.id = changed.rollout_id
  join releases on releases.id = rollouts.release_id
  where devices.id = changed.device_id
    and rollouts.started_at is not null
    and (
      devices.update_rollout_id is null
      or devices.update_rollout_id = changed.rollout_id
      or changed.state in ('offered', 'downloading', 'downloaded', 'verifying', 'installing', 'rebooting', 'validating')
      or devices.update_state_since <= changed.since and devices.update_state in
        ('queued', 'held', 'deferred', 'succeeded', 'failed', 'rolled_back', 'skipped', 'timed_out', 'cancelled')
        and changed.state <> 'cancelled'
    );
  return null;
end $$;
--> statement-breakpoint
create trigger rollout_devices_made after insert on rollout_devices referencing new table as changed
  for each statement execute function copy_update_to_devices();
--> statement-breakpoint
create trigger rollout_devices_moved after update on rollout_devices referencing new table as changed
  for each statement execute function copy_update_to_devices();
--> statement-breakpoint
-- The second of T-17's locks: what was signed never changes, whatever the programs above do.
create function refuse_signed_change() returns trigger language plpgsql as $$
begin
  if old.payload is not null and new.payload is distinct from old.payload
    -- Nobody has signed it yet: it may be dropped, but not exchanged.
    and not (new.payload is null and old.state = 'awaiting_signature' and new.state = 'draft'
      and not exists (select from release_signatures where release_id = old.id)) then
    raise exception 'a finalized manifest never changes' using errcode = 'check_violation', constraint = 'releases_payload';
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger releases_payload before update on releases for each row execute function refuse_signed_change();
