-- Rows that change with each batch: room for the new version in the same page, so that no index changes.
alter table latest_metrics set (fillfactor = 70);--> statement-breakpoint
alter table log_feeds set (fillfactor = 70);--> statement-breakpoint
-- Fails as a conflict of transactions, so that the whole statement is undone and the caller tries it again.
create function require_rows(stored bigint, expected bigint) returns void language plpgsql as $$
begin
  if stored <> expected then
    raise exception 'another request has changed these rows' using errcode = 'serialization_failure';
  end if;
end $$;
--> statement-breakpoint
-- The roll-up read the points of a minute by it; all others read those of a device.
drop index metric_points_at;
