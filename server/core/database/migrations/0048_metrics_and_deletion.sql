-- Metrics that change while their device is deleted or restored: the later of the two sees the earlier one. The lock is one that
-- a change of the device waits for, and is taken only if the list of metrics changes.
create or replace function count_metrics_changed() returns trigger language plpgsql as $$
declare
  is_counted boolean;
begin
  select deleted_at is null into is_counted from devices where id = coalesce(new.device_id, old.device_id) for share;
  if is_counted is not true then
    return null;
  end if;
  insert into value_count_changes (project_id, kind, value, n)
  select project_id, 'metric', value, sum(n) from (
    select old.project_id, metric::text as value, -1 as n from jsonb_array_elements(old.metrics) as metric
    union all
    select new.project_id, metric::text, 1 from jsonb_array_elements(new.metrics) as metric
  ) as difference
  group by 1, 2, 3 having sum(n) <> 0;
  return null;
end $$;
