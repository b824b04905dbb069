ALTER TABLE "devices" ADD COLUMN "protocol" text DEFAULT 'teasel' NOT NULL;--> statement-breakpoint
ALTER TABLE "rollout_devices" ADD COLUMN "offer_boot_id" text;--> statement-breakpoint
ALTER TABLE "rollout_devices" ADD COLUMN "evidence" jsonb;--> statement-breakpoint
-- A claimed update is under way: it replaces another one that the device list shows.
create or replace function copy_update_to_devices() returns trigger language plpgsql as $$
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
      or changed.state in ('offered', 'downloading', 'downloaded', 'verifying', 'installing', 'rebooting', 'validating', 'claimed')
      or devices.update_state_since <= changed.since and devices.update_state in
        ('queued', 'held', 'deferred', 'succeeded', 'failed', 'rolled_back', 'skipped', 'timed_out', 'cancelled')
        and changed.state <> 'cancelled'
    );
  return null;
end $$;
--> statement-breakpoint
-- Models without a client run our agent.
update projects set settings = jsonb_set(settings, '{hardware_models}', (
  select jsonb_agg(
    '{"client": {"kind": "teasel", "confirm_by": "version", "version_attribute": "sw_version", "confirm_within_s": 3600, "boards": []}}'
      || model order by n
  )
  from jsonb_array_elements(settings -> 'hardware_models') with ordinality as listed (model, n)
))
where jsonb_array_length(settings -> 'hardware_models') > 0;
