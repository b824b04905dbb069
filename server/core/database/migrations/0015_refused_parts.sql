ALTER TABLE "bundle_artifacts" ADD COLUMN "reject_code" text;--> statement-breakpoint
update bundle_artifacts set reject_code = case when reject_reason like '%keep private keys off this server' then 'private_key' else 'hash_mismatch' end
where reject_reason is not null;
