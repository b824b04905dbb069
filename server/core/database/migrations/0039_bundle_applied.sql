ALTER TABLE "secure_boot_bundles" ADD COLUMN "applied_at" timestamp (3) with time zone;--> statement-breakpoint
-- The time of the audit entry that a report made, or of the last change where the entry was trimmed.
update "secure_boot_bundles" b set "applied_at" = coalesce(
  (select min(e.occurred_at) from "audit_entries" e where e.action = 'bundle.apply' and e.target ->> 'id' = b.id),
  case when b.state = 'in_use' then b.updated_at end
) where b.state in ('in_use', 'revoked');
