-- Makes the monthly partitions of a table from a month on; what lies outside all of them goes to its default partition.
create function make_partitions(parent text, starting date, months int) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  first date := date_trunc('month', starting);
  month date;
begin
  for n in 0 .. months - 1 loop
    month := first + make_interval(months => n);
    begin
      execute format(
        'create table if not exists %I partition of %I for values from (%L) to (%L)',
        parent || '_' || to_char(month, 'YYYY_MM'), parent, month, month + interval '1 month'
      );
    exception when check_violation then
      -- Rows of this month lie in the default partition already: they stay there.
      null;
    end;
  end loop;
  if parent = 'audit_entries' then perform guard_audit_partitions(); end if;
end $$;
revoke execute on function make_partitions(text, date, int) from public;
