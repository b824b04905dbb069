CREATE TABLE "audit_chains" (
	"id" text PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"hash" text NOT NULL,
	"checkpoint_sequence" bigint DEFAULT 0 NOT NULL,
	"checkpoint_hash" text NOT NULL,
	"checkpoint_signature" text
);
--> statement-breakpoint
CREATE TABLE "idempotent_answers" (
	"actor" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"status" integer NOT NULL,
	"sealed" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotent_answers_actor_key_pk" PRIMARY KEY("actor","key")
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" text PRIMARY KEY NOT NULL,
	"to" text NOT NULL,
	"recipient" text,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"link_hash" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"next_try_at" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "rate_windows" (
	"key" text PRIMARY KEY NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"count" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_failures" (
	"id" text PRIMARY KEY NOT NULL,
	"pair" text NOT NULL,
	"failed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"happened_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"user_id" text,
	"organization_id" text,
	"customer_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"plan" text NOT NULL,
	"state" text NOT NULL,
	"price_id" text NOT NULL,
	"quantity" integer NOT NULL,
	"current_period_end" timestamp (3) with time zone,
	"cancel_at_period_end" boolean NOT NULL,
	"payment_method" jsonb,
	"invoices" jsonb NOT NULL,
	"happened_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "access_requests" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"organization_id" text NOT NULL,
	"user_id" text NOT NULL,
	"permission" text NOT NULL,
	"project_id" text,
	"reason" text NOT NULL,
	"state" text NOT NULL,
	"decided_by" text,
	"decided_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "invites" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"organization_id" text,
	"project_id" text,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"message" text NOT NULL,
	"token_hash" text NOT NULL,
	"mail_hash" text,
	"state" text NOT NULL,
	"invited_by" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"last_sent_at" timestamp (3) with time zone NOT NULL,
	"send_count" integer NOT NULL,
	CONSTRAINT "invites_one_home" CHECK (num_nonnulls("invites"."organization_id", "invites"."project_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "members" (
	"organization_id" text NOT NULL,
	"user_id" text NOT NULL,
	"base_role" text NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	"invited_by" text,
	CONSTRAINT "members_organization_id_user_id_pk" PRIMARY KEY("organization_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "organizations" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"public_id" text NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"image_url" text,
	"plan" text NOT NULL,
	"settings" jsonb NOT NULL,
	"created_by" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "avatars" (
	"user_id" text PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"type" text NOT NULL,
	"bytes" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"user_id" text PRIMARY KEY NOT NULL,
	"password_hash" text NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "interstitials" (
	"user_id" text NOT NULL,
	"interstitial_id" text NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "interstitials_user_id_interstitial_id_pk" PRIMARY KEY("user_id","interstitial_id")
);
--> statement-breakpoint
CREATE TABLE "password_resets" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "profiles" (
	"user_id" text PRIMARY KEY NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"first_name" text DEFAULT '' NOT NULL,
	"last_name" text DEFAULT '' NOT NULL,
	"company_name" text DEFAULT '' NOT NULL,
	"linkedin_url" text DEFAULT '' NOT NULL,
	"city" text DEFAULT '' NOT NULL,
	"country" text DEFAULT '' NOT NULL,
	"role" text DEFAULT '' NOT NULL,
	"platform_applications" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"user_id" text NOT NULL,
	"code_hash" text NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "recovery_codes_user_id_code_hash_pk" PRIMARY KEY("user_id","code_hash")
);
--> statement-breakpoint
CREATE TABLE "registrations" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"full_name" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "second_factors" (
	"user_id" text PRIMARY KEY NOT NULL,
	"sealed_secret" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"enabled_at" timestamp (3) with time zone,
	"last_step" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"sign_in_id" text,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"ip" text,
	"user_agent" text
);
--> statement-breakpoint
CREATE TABLE "sign_in_codes" (
	"code_hash" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"sign_in_id" text,
	"challenge" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"session_id" text
);
--> statement-breakpoint
CREATE TABLE "sign_in_steps" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_ins" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"email" text NOT NULL,
	"full_name" text DEFAULT '' NOT NULL,
	"image_url" text,
	"pricing_plan" text DEFAULT 'developer' NOT NULL,
	"feature_channel" text DEFAULT 'stable' NOT NULL,
	"mfa_enabled" boolean DEFAULT false NOT NULL,
	"last_sign_in_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "project_guests" (
	"project_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	"invited_by" text,
	CONSTRAINT "project_guests_project_id_user_id_pk" PRIMARY KEY("project_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"organization_id" text,
	"owner_id" text,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"settings" jsonb NOT NULL,
	CONSTRAINT "projects_one_owner" CHECK (num_nonnulls("projects"."organization_id", "projects"."owner_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "device_commands" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"device_id" text NOT NULL,
	"command" text NOT NULL,
	"args" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL,
	"delivered_at" timestamp (3) with time zone,
	"done_at" timestamp (3) with time zone,
	"output" text
);
--> statement-breakpoint
CREATE TABLE "device_tags" (
	"project_id" text NOT NULL,
	"device_id" text NOT NULL,
	"tag_id" text NOT NULL,
	CONSTRAINT "device_tags_device_id_tag_id_pk" PRIMARY KEY("device_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "device_tokens" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"device_id" text NOT NULL,
	"prefix" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "devices" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"name" text NOT NULL,
	"serial_number" text,
	"hardware_model" text NOT NULL,
	"lifecycle" text NOT NULL,
	"enrollment" text NOT NULL,
	"public_key" text,
	"proved_ms" bigint DEFAULT 0 NOT NULL,
	"first_seen_at" timestamp (3) with time zone,
	"last_seen_at" timestamp (3) with time zone,
	"enrolled_at" timestamp (3) with time zone,
	"polling_interval_s" integer,
	"configured_polling_s" integer,
	"boot_id" text,
	"seen_from" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"token_shared_at" timestamp (3) with time zone,
	"token_shared_by" text,
	"installed_release_id" text,
	"installed_name" text,
	"installed_version" bigint,
	"installed_display_version" text,
	"installed_at" timestamp (3) with time zone,
	"installed_slot" text,
	"installed_confirmed" boolean DEFAULT false NOT NULL,
	"update_rollout_id" text,
	"update_release_id" text,
	"update_version" bigint,
	"update_display_version" text,
	"update_state" text,
	"update_state_since" timestamp (3) with time zone,
	"update_progress" double precision,
	"update_bytes_done" bigint,
	"update_bytes_total" bigint,
	"update_attempt" integer DEFAULT 1 NOT NULL,
	"update_error_code" text,
	"update_error_text" text,
	"event_sequence" bigint DEFAULT 0 NOT NULL,
	"updates_enabled" boolean DEFAULT true NOT NULL,
	"updates_paused_until" timestamp (3) with time zone,
	"quarantine_until" timestamp (3) with time zone,
	"quarantine_reason" text,
	"quarantine_release_id" text,
	"attributes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"attributes_hash" text,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"trusted_keys" text[] DEFAULT '{}' NOT NULL,
	"secure_boot_state" text DEFAULT 'unknown' NOT NULL,
	"rollback_version" bigint,
	"health_status" text DEFAULT 'unknown' NOT NULL,
	"health_reasons" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"timezone" text,
	"client_name" text,
	"client_version" text,
	"client_config_hash" text,
	"notes" text DEFAULT '' NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "enrollment_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"token_hash" text NOT NULL,
	"prefix" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"hardware_model" text,
	"default_tags" text[] DEFAULT '{}' NOT NULL,
	"max_uses" integer,
	"uses" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"auto_accept" boolean NOT NULL,
	"revoked_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "installations" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"device_id" text NOT NULL,
	"release_id" text,
	"name" text,
	"version" bigint NOT NULL,
	"display_version" text,
	"installed_at" timestamp (3) with time zone NOT NULL,
	"slot" text,
	"confirmed" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"name" text NOT NULL,
	"algorithm" text NOT NULL,
	"public_key_pem" text NOT NULL,
	"fingerprint" text NOT NULL,
	"custody" text NOT NULL,
	"purpose" text NOT NULL,
	"state" text NOT NULL,
	"state_reason" text,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"is_known_test_key" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "log_summaries" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"device_id" text NOT NULL,
	"from" timestamp (3) with time zone NOT NULL,
	"to" timestamp (3) with time zone NOT NULL,
	"engine_version" integer NOT NULL,
	"input_hash" text NOT NULL,
	"line_count" integer NOT NULL,
	"cut" boolean NOT NULL,
	"verdict" text NOT NULL,
	"content" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tags" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"name" text NOT NULL,
	"colour" text NOT NULL,
	"description" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "device_boots" (
	"project_id" text NOT NULL,
	"device_id" text NOT NULL,
	"boot_id" text NOT NULL,
	"first_ts_ms" bigint NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "device_boots_device_id_boot_id_pk" PRIMARY KEY("device_id","boot_id")
);
--> statement-breakpoint
CREATE TABLE "latest_metrics" (
	"project_id" text NOT NULL,
	"name" text NOT NULL,
	"device_id" text NOT NULL,
	"unit" text,
	"at" timestamp (3) with time zone NOT NULL,
	"value" double precision NOT NULL,
	"level" text DEFAULT 'healthy' NOT NULL,
	"since" timestamp (3) with time zone,
	"eased_at" timestamp (3) with time zone,
	CONSTRAINT "latest_metrics_project_id_name_device_id_pk" PRIMARY KEY("project_id","name","device_id")
);
--> statement-breakpoint
CREATE TABLE "log_feeds" (
	"device_id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"tokens" double precision NOT NULL,
	"refilled_at" timestamp (3) with time zone NOT NULL,
	"boot_id" text,
	"last_sequence" bigint DEFAULT 0 NOT NULL,
	"base" bigint DEFAULT 0 NOT NULL,
	"dropped" bigint DEFAULT 0 NOT NULL,
	"day" text DEFAULT '' NOT NULL,
	"lines_today" bigint DEFAULT 0 NOT NULL,
	"units" text[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stale_hours" (
	"project_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "stale_hours_project_id_at_pk" PRIMARY KEY("project_id","at")
);
--> statement-breakpoint
CREATE TABLE "stale_minutes" (
	"project_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "assets" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"release_id" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text,
	"content_type" text NOT NULL,
	"install_location" text,
	"mode" text,
	"state" text NOT NULL,
	"reject_reason" text,
	"download_count" integer DEFAULT 0 NOT NULL,
	"storage_key" text,
	"verified_at" timestamp (3) with time zone,
	"verified_stamp" text,
	"damaged_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "release_signatures" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"release_id" text NOT NULL,
	"key_id" text NOT NULL,
	"signature" text NOT NULL,
	"signed_at" timestamp (3) with time zone NOT NULL,
	"signed_by" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "releases" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"created_by" jsonb,
	"name" text NOT NULL,
	"version" bigint NOT NULL,
	"display_version" text,
	"type" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"notes" text DEFAULT '' NOT NULL,
	"hardware_models" text[] NOT NULL,
	"min_installed_version" bigint,
	"rollback_version" bigint,
	"allow_downgrade_from" bigint[] DEFAULT '{}' NOT NULL,
	"may_return_to" bigint[],
	"return_list_filled" boolean DEFAULT false NOT NULL,
	"hooks" jsonb NOT NULL,
	"reboot" text NOT NULL,
	"state" text NOT NULL,
	"state_reason" text,
	"payload" text,
	"manifest_sha256" text,
	"manifest_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"project_id" text NOT NULL,
	"owner_id" text NOT NULL,
	"file_name" text NOT NULL,
	"content_type" text NOT NULL,
	"size" bigint NOT NULL,
	"offset" bigint DEFAULT 0 NOT NULL,
	"sha256" text,
	"fingerprint" text,
	"purpose" text NOT NULL,
	"target_id" text NOT NULL,
	"state" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "rollout_devices" (
	"project_id" text NOT NULL,
	"rollout_id" text NOT NULL,
	"device_id" text NOT NULL,
	"wave" integer NOT NULL,
	"state" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"reason" text,
	"attempt" integer DEFAULT 1 NOT NULL,
	"not_before" timestamp (3) with time zone,
	"offered_at" timestamp (3) with time zone,
	"progress" double precision,
	"bytes_done" bigint,
	"bytes_total" bigint,
	"grown_at" timestamp (3) with time zone,
	"error_code" text,
	"error_text" text,
	"from_release_id" text,
	"from_version" bigint,
	"from_display_version" text,
	"stays" text,
	"abort_asked" boolean DEFAULT false NOT NULL,
	CONSTRAINT "rollout_devices_rollout_id_device_id_pk" PRIMARY KEY("rollout_id","device_id")
);
--> statement-breakpoint
CREATE TABLE "rollout_timeline" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"rollout_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"text" text NOT NULL,
	"wave" integer,
	"by" text
);
--> statement-breakpoint
CREATE TABLE "rollout_waves" (
	"rollout_id" text NOT NULL,
	"n" integer NOT NULL,
	"percent" double precision NOT NULL,
	"gate" jsonb NOT NULL,
	"state" text NOT NULL,
	"success_percent" double precision,
	"failure_percent" double precision,
	"started_at" timestamp (3) with time zone,
	"soak_until" timestamp (3) with time zone,
	"counts_from" timestamp (3) with time zone,
	CONSTRAINT "rollout_waves_rollout_id_n_pk" PRIMARY KEY("rollout_id","n")
);
--> statement-breakpoint
CREATE TABLE "rollouts" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"project_id" text NOT NULL,
	"release_id" text NOT NULL,
	"created_by" jsonb,
	"number" integer NOT NULL,
	"name" text NOT NULL,
	"target" jsonb NOT NULL,
	"membership" text NOT NULL,
	"max_concurrent" integer NOT NULL,
	"start_rate_per_min" integer,
	"retries" integer NOT NULL,
	"start_at" timestamp (3) with time zone,
	"end_at" timestamp (3) with time zone,
	"window" jsonb,
	"on_failure" text NOT NULL,
	"allow_downgrade" jsonb,
	"priority" integer NOT NULL,
	"requires_approval" boolean NOT NULL,
	"approval" jsonb,
	"phase" text NOT NULL,
	"state_reason" text,
	"with_failures" boolean DEFAULT false NOT NULL,
	"current_wave" integer DEFAULT 0 NOT NULL,
	"bulk_changes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"preview_hash" text NOT NULL,
	"override_reason" text,
	"rolls_back_id" text,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_decided_by_users_id_fk" FOREIGN KEY ("decided_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invites" ADD CONSTRAINT "invites_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invites" ADD CONSTRAINT "invites_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invites" ADD CONSTRAINT "invites_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "avatars" ADD CONSTRAINT "avatars_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "interstitials" ADD CONSTRAINT "interstitials_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "profiles" ADD CONSTRAINT "profiles_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "second_factors" ADD CONSTRAINT "second_factors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_sign_in_id_sign_ins_id_fk" FOREIGN KEY ("sign_in_id") REFERENCES "public"."sign_ins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_codes" ADD CONSTRAINT "sign_in_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_codes" ADD CONSTRAINT "sign_in_codes_sign_in_id_sign_ins_id_fk" FOREIGN KEY ("sign_in_id") REFERENCES "public"."sign_ins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_steps" ADD CONSTRAINT "sign_in_steps_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_ins" ADD CONSTRAINT "sign_ins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_guests" ADD CONSTRAINT "project_guests_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_guests" ADD CONSTRAINT "project_guests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_commands" ADD CONSTRAINT "device_commands_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_commands" ADD CONSTRAINT "device_commands_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_tags" ADD CONSTRAINT "device_tags_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_tags" ADD CONSTRAINT "device_tags_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_tags" ADD CONSTRAINT "device_tags_tag_id_tags_id_fk" FOREIGN KEY ("tag_id") REFERENCES "public"."tags"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_tokens" ADD CONSTRAINT "device_tokens_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_tokens" ADD CONSTRAINT "device_tokens_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enrollment_tokens" ADD CONSTRAINT "enrollment_tokens_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "installations" ADD CONSTRAINT "installations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "installations" ADD CONSTRAINT "installations_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signing_keys" ADD CONSTRAINT "signing_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "log_summaries" ADD CONSTRAINT "log_summaries_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "log_summaries" ADD CONSTRAINT "log_summaries_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_boots" ADD CONSTRAINT "device_boots_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "device_boots" ADD CONSTRAINT "device_boots_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "latest_metrics" ADD CONSTRAINT "latest_metrics_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "latest_metrics" ADD CONSTRAINT "latest_metrics_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "log_feeds" ADD CONSTRAINT "log_feeds_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "log_feeds" ADD CONSTRAINT "log_feeds_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "assets" ADD CONSTRAINT "assets_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "assets" ADD CONSTRAINT "assets_release_id_releases_id_fk" FOREIGN KEY ("release_id") REFERENCES "public"."releases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_signatures" ADD CONSTRAINT "release_signatures_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_signatures" ADD CONSTRAINT "release_signatures_release_id_releases_id_fk" FOREIGN KEY ("release_id") REFERENCES "public"."releases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_signatures" ADD CONSTRAINT "release_signatures_key_id_signing_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."signing_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "releases" ADD CONSTRAINT "releases_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rollout_devices" ADD CONSTRAINT "rollout_devices_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rollout_devices" ADD CONSTRAINT "rollout_devices_rollout_id_rollouts_id_fk" FOREIGN KEY ("rollout_id") REFERENCES "public"."rollouts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rollout_devices" ADD CONSTRAINT "rollout_devices_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rollout_timeline" ADD CONSTRAINT "rollout_timeline_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rollout_timeline" ADD CONSTRAINT "rollout_timeline_rollout_id_rollouts_id_fk" FOREIGN KEY ("rollout_id") REFERENCES "public"."rollouts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rollout_waves" ADD CONSTRAINT "rollout_waves_rollout_id_rollouts_id_fk" FOREIGN KEY ("rollout_id") REFERENCES "public"."rollouts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rollouts" ADD CONSTRAINT "rollouts_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rollouts" ADD CONSTRAINT "rollouts_release_id_releases_id_fk" FOREIGN KEY ("release_id") REFERENCES "public"."releases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotent_answers_expiry" ON "idempotent_answers" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "mails_recipient" ON "mails" USING btree ("recipient","created_at");--> statement-breakpoint
CREATE INDEX "mails_link" ON "mails" USING btree ("link_hash");--> statement-breakpoint
CREATE INDEX "mails_created" ON "mails" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("next_try_at") WHERE "mails"."next_try_at" is not null;--> statement-breakpoint
CREATE INDEX "sign_in_failures_pair" ON "sign_in_failures" USING btree ("pair","failed_at");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_user" ON "subscriptions" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_organization" ON "subscriptions" USING btree ("organization_id");--> statement-breakpoint
CREATE INDEX "subscriptions_provider" ON "subscriptions" USING btree ("provider_id");--> statement-breakpoint
CREATE UNIQUE INDEX "access_requests_open" ON "access_requests" USING btree ("organization_id","user_id","permission") WHERE "access_requests"."state" = 'open';--> statement-breakpoint
CREATE INDEX "access_requests_created" ON "access_requests" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "access_requests_user" ON "access_requests" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "invites_token" ON "invites" USING btree ("token_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "invites_organization_open" ON "invites" USING btree ("organization_id","email") WHERE "invites"."state" = 'pending' and "invites"."organization_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "invites_project_open" ON "invites" USING btree ("project_id","email") WHERE "invites"."state" = 'pending' and "invites"."project_id" is not null;--> statement-breakpoint
CREATE INDEX "invites_organization_created" ON "invites" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "invites_project_created" ON "invites" USING btree ("project_id","created_at");--> statement-breakpoint
CREATE INDEX "invites_lapsing" ON "invites" USING btree ("expires_at") WHERE "invites"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "invites_inviter" ON "invites" USING btree ("invited_by");--> statement-breakpoint
CREATE INDEX "members_user" ON "members" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "organizations_public_id" ON "organizations" USING btree ("public_id");--> statement-breakpoint
CREATE INDEX "organizations_maker" ON "organizations" USING btree ("created_by");--> statement-breakpoint
CREATE UNIQUE INDEX "avatars_key" ON "avatars" USING btree ("key");--> statement-breakpoint
CREATE INDEX "password_resets_user" ON "password_resets" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_token" ON "sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_created" ON "sessions" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sign_ins_token" ON "sign_ins" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "sign_ins_user" ON "sign_ins" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "project_guests_user" ON "project_guests" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "projects_organization_name" ON "projects" USING btree ("organization_id",lower("name")) WHERE "projects"."organization_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "projects_owner_name" ON "projects" USING btree ("owner_id",lower("name")) WHERE "projects"."owner_id" is not null;--> statement-breakpoint
CREATE INDEX "projects_organization_created" ON "projects" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "projects_owner_created" ON "projects" USING btree ("owner_id","created_at");--> statement-breakpoint
CREATE INDEX "device_commands_device" ON "device_commands" USING btree ("device_id","id");--> statement-breakpoint
CREATE INDEX "device_tags_tag" ON "device_tags" USING btree ("tag_id","device_id");--> statement-breakpoint
CREATE INDEX "device_tokens_device" ON "device_tokens" USING btree ("device_id");--> statement-breakpoint
CREATE INDEX "device_tokens_created" ON "device_tokens" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "devices_project_name" ON "devices" USING btree ("project_id",lower("name")) WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "devices_project_serial" ON "devices" USING btree ("project_id","serial_number") WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_by_name" ON "devices" USING btree ("project_id",lower("name"),"id") WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_by_created" ON "devices" USING btree ("project_id","created_at","id") WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_by_last_seen" ON "devices" USING btree ("project_id",coalesce("last_seen_at", 'epoch'::timestamptz),"id") WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_by_model" ON "devices" USING btree ("project_id","hardware_model","id") WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_by_version" ON "devices" USING btree ("project_id",coalesce("installed_version", 0),"id") WHERE "devices"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "devices_installed" ON "devices" USING btree ("installed_release_id");--> statement-breakpoint
CREATE UNIQUE INDEX "enrollment_tokens_token" ON "enrollment_tokens" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "enrollment_tokens_project" ON "enrollment_tokens" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "installations_device" ON "installations" USING btree ("device_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "signing_keys_project_name" ON "signing_keys" USING btree ("project_id",lower("name"));--> statement-breakpoint
CREATE UNIQUE INDEX "signing_keys_project_fingerprint" ON "signing_keys" USING btree ("project_id","fingerprint");--> statement-breakpoint
CREATE INDEX "log_summaries_device" ON "log_summaries" USING btree ("device_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "tags_project_name" ON "tags" USING btree ("project_id","name");--> statement-breakpoint
CREATE INDEX "device_boots_seen" ON "device_boots" USING btree ("device_id","seen_at");--> statement-breakpoint
CREATE INDEX "latest_metrics_device" ON "latest_metrics" USING btree ("device_id");--> statement-breakpoint
CREATE INDEX "stale_minutes_project" ON "stale_minutes" USING btree ("project_id","at");--> statement-breakpoint
CREATE UNIQUE INDEX "assets_release_name" ON "assets" USING btree ("release_id","name");--> statement-breakpoint
CREATE INDEX "assets_project" ON "assets" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "assets_verified" ON "assets" USING btree ("verified_at");--> statement-breakpoint
CREATE UNIQUE INDEX "release_signatures_once" ON "release_signatures" USING btree ("release_id","key_id");--> statement-breakpoint
CREATE INDEX "release_signatures_key" ON "release_signatures" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "releases_by_version" ON "releases" USING btree ("project_id","version","id");--> statement-breakpoint
CREATE INDEX "releases_by_created" ON "releases" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "releases_by_name" ON "releases" USING btree ("project_id",lower("name"),"id");--> statement-breakpoint
CREATE INDEX "uploads_owner" ON "uploads" USING btree ("owner_id","state","created_at");--> statement-breakpoint
CREATE INDEX "uploads_target" ON "uploads" USING btree ("target_id");--> statement-breakpoint
CREATE INDEX "uploads_open" ON "uploads" USING btree ("expires_at") WHERE "uploads"."state" = 'open';--> statement-breakpoint
CREATE INDEX "rollout_devices_device" ON "rollout_devices" USING btree ("device_id","rollout_id");--> statement-breakpoint
CREATE INDEX "rollout_devices_state" ON "rollout_devices" USING btree ("rollout_id","wave","state");--> statement-breakpoint
CREATE INDEX "rollout_timeline_rollout" ON "rollout_timeline" USING btree ("rollout_id","id");--> statement-breakpoint
CREATE INDEX "rollouts_by_created" ON "rollouts" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "rollouts_project_number" ON "rollouts" USING btree ("project_id","number");--> statement-breakpoint
CREATE INDEX "rollouts_release" ON "rollouts" USING btree ("release_id","created_at","id");--> statement-breakpoint
CREATE INDEX "rollouts_moving" ON "rollouts" USING btree ("project_id","phase") WHERE "rollouts"."phase" in ('scheduled', 'filling', 'soaking', 'waiting_for_user', 'paused', 'halted', 'rolling_back', 'cancelling');--> statement-breakpoint
CREATE INDEX "rollouts_bulk_changes" ON "rollouts" USING btree ("id") WHERE "rollouts"."bulk_changes" <> '[]';