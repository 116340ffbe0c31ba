CREATE EXTENSION IF NOT EXISTS pg_trgm;--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS btree_gin;--> statement-breakpoint
CREATE TABLE "credentials" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"kind" text NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"last4" text NOT NULL,
	"scopes" text[] NOT NULL,
	"rate_limit_per_minute" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "credentials_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"workspace_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"operation" text NOT NULL,
	"path" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"answer" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_pk" PRIMARY KEY("workspace_id","credential_id","operation","path","key")
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "rate_windows" (
	"bucket" "bytea" PRIMARY KEY NOT NULL,
	"window_start" timestamp (3) with time zone NOT NULL,
	"quota" integer NOT NULL,
	"used" integer NOT NULL,
	"used_before" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"value" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "todo_assignees" (
	"workspace_id" uuid NOT NULL,
	"todo_id" uuid NOT NULL,
	"position" smallint NOT NULL,
	"user_id" uuid,
	"agent_id" uuid,
	"assignee_id" uuid GENERATED ALWAYS AS (coalesce(user_id, agent_id)) STORED NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "todo_assignees_workspace_id_todo_id_position_pk" PRIMARY KEY("workspace_id","todo_id","position"),
	CONSTRAINT "todo_assignees_one" CHECK (num_nonnulls(user_id, agent_id) = 1)
);
--> statement-breakpoint
CREATE TABLE "todo_lists" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"emoji" text,
	"color" text,
	"is_default" boolean DEFAULT false NOT NULL,
	"archived_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "todo_lists_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "todo_search" (
	"workspace_id" uuid NOT NULL,
	"todo_id" uuid NOT NULL,
	"title" text NOT NULL,
	"content" text NOT NULL,
	CONSTRAINT "todo_search_workspace_id_todo_id_pk" PRIMARY KEY("workspace_id","todo_id")
);
--> statement-breakpoint
CREATE TABLE "todos" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"title" text,
	"content" text,
	"status" text DEFAULT 'ready' NOT NULL,
	"priority" smallint,
	"type" text DEFAULT 'task' NOT NULL,
	"todo_list_id" uuid NOT NULL,
	"due_date" date,
	"capture_id" uuid,
	"is_suggested" boolean DEFAULT false NOT NULL,
	"source" text,
	"minutes_saved" integer,
	"minutes_saved_reason" text,
	"minutes_saved_confidence" text,
	"archived_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "todos_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "todos_text" CHECK (title is not null or coalesce(content ~ '[^[:space:]]', false)),
	CONSTRAINT "todos_status" CHECK (status in ('ready', 'in_progress', 'done')),
	CONSTRAINT "todos_priority" CHECK (priority between 1 and 4)
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"is_default" boolean DEFAULT false NOT NULL,
	"archived_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agents_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "members" (
	"workspace_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"removed_at" timestamp (3) with time zone,
	CONSTRAINT "members_workspace_id_user_id_pk" PRIMARY KEY("workspace_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"timezone" text DEFAULT 'UTC' NOT NULL,
	"agent_minutes" numeric(12, 1) NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_member_fk" FOREIGN KEY ("workspace_id","user_id") REFERENCES "public"."members"("workspace_id","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_credential_fk" FOREIGN KEY ("workspace_id","credential_id") REFERENCES "public"."credentials"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_assignees" ADD CONSTRAINT "todo_assignees_todo_fk" FOREIGN KEY ("workspace_id","todo_id") REFERENCES "public"."todos"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_assignees" ADD CONSTRAINT "todo_assignees_user_fk" FOREIGN KEY ("workspace_id","user_id") REFERENCES "public"."members"("workspace_id","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_assignees" ADD CONSTRAINT "todo_assignees_agent_fk" FOREIGN KEY ("workspace_id","agent_id") REFERENCES "public"."agents"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_lists" ADD CONSTRAINT "todo_lists_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_search" ADD CONSTRAINT "todo_search_todo_fk" FOREIGN KEY ("workspace_id","todo_id") REFERENCES "public"."todos"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todos" ADD CONSTRAINT "todos_list_fk" FOREIGN KEY ("workspace_id","todo_list_id") REFERENCES "public"."todo_lists"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credentials_secret" ON "credentials" USING btree ("secret_hash");--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "todo_assignees_assignee" ON "todo_assignees" USING btree ("workspace_id","assignee_id","created_at","todo_id");--> statement-breakpoint
CREATE UNIQUE INDEX "todo_lists_default" ON "todo_lists" USING btree ("workspace_id") WHERE is_default;--> statement-breakpoint
CREATE INDEX "todo_lists_name" ON "todo_lists" USING btree ("workspace_id",lower("name"));--> statement-breakpoint
CREATE INDEX "todo_search_trigrams" ON "todo_search" USING gin ("workspace_id","title" gin_trgm_ops,"content" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "todos_created" ON "todos" USING btree ("workspace_id","created_at","id") WHERE archived_at is null and not is_suggested;--> statement-breakpoint
CREATE INDEX "todos_updated" ON "todos" USING btree ("workspace_id","updated_at","id") WHERE archived_at is null and not is_suggested;--> statement-breakpoint
CREATE INDEX "todos_due" ON "todos" USING btree ("workspace_id","due_date","id") WHERE archived_at is null and not is_suggested;--> statement-breakpoint
CREATE INDEX "todos_priority_rank" ON "todos" USING btree ("workspace_id","priority","id") WHERE archived_at is null and not is_suggested;--> statement-breakpoint
CREATE INDEX "todos_status_created" ON "todos" USING btree ("workspace_id","status","created_at","id") WHERE archived_at is null and not is_suggested;--> statement-breakpoint
CREATE INDEX "todos_counts" ON "todos" USING btree ("workspace_id","status","priority","todo_list_id","minutes_saved") WHERE archived_at is null and not is_suggested;--> statement-breakpoint
CREATE INDEX "todos_capture" ON "todos" USING btree ("workspace_id","capture_id") WHERE capture_id is not null;--> statement-breakpoint
CREATE INDEX "todos_archived" ON "todos" USING btree ("workspace_id","created_at","id") WHERE archived_at is not null;--> statement-breakpoint
CREATE INDEX "todos_list" ON "todos" USING btree ("workspace_id","todo_list_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_default" ON "agents" USING btree ("workspace_id") WHERE is_default;--> statement-breakpoint
CREATE UNIQUE INDEX "agents_name" ON "agents" USING btree ("workspace_id",lower("name")) WHERE archived_at is null;--> statement-breakpoint
CREATE INDEX "members_user" ON "members" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (lower("email"));--> statement-breakpoint
-- Index-only counts and short walks need a fresh visibility map: vacuum early.
ALTER TABLE "todos" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.01);--> statement-breakpoint
ALTER TABLE "rate_windows" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);--> statement-breakpoint
-- A search reads the whole pending list: keep it short.
ALTER INDEX "todo_search_trigrams" SET (gin_pending_list_limit = 256);
