CREATE TABLE "approvals" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"chat_id" uuid NOT NULL,
	"turn_id" uuid NOT NULL,
	"todo_id" uuid,
	"agent_id" uuid NOT NULL,
	"message_sequence" integer NOT NULL,
	"tool_call_id" text NOT NULL,
	"tool_name" text NOT NULL,
	"title" text NOT NULL,
	"input" jsonb NOT NULL,
	"reason" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"requested_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"decided_by" uuid,
	"note" text,
	CONSTRAINT "approvals_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "chat_turns" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"chat_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"run_id" uuid,
	"trigger" text NOT NULL,
	"scopes" text[] NOT NULL,
	"depth" smallint DEFAULT 0 NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"worker_id" uuid,
	"lease_until" timestamp (3) with time zone,
	"not_before" timestamp (3) with time zone,
	"active_ms" integer DEFAULT 0 NOT NULL,
	"minutes" numeric(12, 1) DEFAULT 0 NOT NULL,
	"started_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"outcome" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "chat_turns_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "chat_turns_outcome" CHECK ((ended_at is null) = (outcome is null))
);
--> statement-breakpoint
CREATE TABLE "chats" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"agent_id" uuid,
	"todo_id" uuid,
	"title" text,
	"title_given" boolean DEFAULT false NOT NULL,
	"subtitle" text,
	"search" text DEFAULT '' NOT NULL,
	"status" text NOT NULL,
	"error_message" text,
	"timezone" text DEFAULT 'UTC' NOT NULL,
	"message_count" integer DEFAULT 0 NOT NULL,
	"archived_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_message_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	CONSTRAINT "chats_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"workspace_id" uuid NOT NULL,
	"chat_id" uuid NOT NULL,
	"sequence" integer NOT NULL,
	"id" uuid NOT NULL,
	"turn_id" uuid,
	"role" text NOT NULL,
	"text" text NOT NULL,
	"blocks" jsonb NOT NULL,
	"agent_id" uuid,
	"user_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "messages_workspace_id_chat_id_sequence_pk" PRIMARY KEY("workspace_id","chat_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "todo_runs" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"todo_id" uuid NOT NULL,
	"chat_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"trigger" text NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"status_reason" text,
	"error_message" text,
	"summary" text,
	"minutes_used" numeric(12, 1) DEFAULT 0 NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "todo_runs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "todo_runs_finished" CHECK ((status = 'running') = (finished_at is null))
);
--> statement-breakpoint
CREATE TABLE "agent_skills" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"name" text NOT NULL,
	"instructions" text,
	"summary" text,
	"archived_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_skills_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "minute_entries" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"kind" text NOT NULL,
	"minutes" numeric(12, 1) NOT NULL,
	"agent_id" uuid,
	"chat_id" uuid,
	"turn_id" uuid,
	"todo_id" uuid,
	"trigger" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "minute_entries_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "minute_entries_sign" CHECK ((kind = 'grant') = (minutes > 0))
);
--> statement-breakpoint
ALTER TABLE "todos" ADD COLUMN "latest_run_id" uuid;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "description" text;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "instructions" text;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "requires_approval" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "approval_guidance" text;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "working_hours_enabled" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "working_hours" jsonb;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_chat_fk" FOREIGN KEY ("workspace_id","chat_id") REFERENCES "public"."chats"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_turn_fk" FOREIGN KEY ("workspace_id","turn_id") REFERENCES "public"."chat_turns"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_turns" ADD CONSTRAINT "chat_turns_chat_fk" FOREIGN KEY ("workspace_id","chat_id") REFERENCES "public"."chats"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_turns" ADD CONSTRAINT "chat_turns_agent_fk" FOREIGN KEY ("workspace_id","agent_id") REFERENCES "public"."agents"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_turns" ADD CONSTRAINT "chat_turns_user_fk" FOREIGN KEY ("workspace_id","user_id") REFERENCES "public"."members"("workspace_id","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chats" ADD CONSTRAINT "chats_agent_fk" FOREIGN KEY ("workspace_id","agent_id") REFERENCES "public"."agents"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chats" ADD CONSTRAINT "chats_todo_fk" FOREIGN KEY ("workspace_id","todo_id") REFERENCES "public"."todos"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_chat_fk" FOREIGN KEY ("workspace_id","chat_id") REFERENCES "public"."chats"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_runs" ADD CONSTRAINT "todo_runs_todo_fk" FOREIGN KEY ("workspace_id","todo_id") REFERENCES "public"."todos"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_runs" ADD CONSTRAINT "todo_runs_agent_fk" FOREIGN KEY ("workspace_id","agent_id") REFERENCES "public"."agents"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_skills" ADD CONSTRAINT "agent_skills_agent_fk" FOREIGN KEY ("workspace_id","agent_id") REFERENCES "public"."agents"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "minute_entries" ADD CONSTRAINT "minute_entries_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_call" ON "approvals" USING btree ("workspace_id","turn_id","tool_call_id");--> statement-breakpoint
CREATE INDEX "approvals_requested" ON "approvals" USING btree ("workspace_id","requested_at","id");--> statement-breakpoint
CREATE INDEX "approvals_pending" ON "approvals" USING btree ("workspace_id","requested_at","id") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "approvals_chat" ON "approvals" USING btree ("workspace_id","chat_id","requested_at","id");--> statement-breakpoint
CREATE INDEX "approvals_expiry" ON "approvals" USING btree ("expires_at") WHERE status = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "chat_turns_open" ON "chat_turns" USING btree ("workspace_id","chat_id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "chat_turns_chat" ON "chat_turns" USING btree ("workspace_id","chat_id","created_at");--> statement-breakpoint
CREATE INDEX "chat_turns_lease" ON "chat_turns" USING btree ("lease_until") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "chat_turns_agent" ON "chat_turns" USING btree ("workspace_id","agent_id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "chats_active" ON "chats" USING btree ("workspace_id","last_message_at","id");--> statement-breakpoint
CREATE INDEX "chats_todo" ON "chats" USING btree ("workspace_id","todo_id") WHERE todo_id is not null;--> statement-breakpoint
CREATE INDEX "chats_agent" ON "chats" USING btree ("workspace_id","agent_id","last_message_at","id");--> statement-breakpoint
CREATE INDEX "chats_search" ON "chats" USING gin ("workspace_id","search" gin_trgm_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "messages_id" ON "messages" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "todo_runs_running" ON "todo_runs" USING btree ("workspace_id","todo_id") WHERE status = 'running';--> statement-breakpoint
CREATE INDEX "todo_runs_started" ON "todo_runs" USING btree ("workspace_id","todo_id","started_at","id");--> statement-breakpoint
CREATE INDEX "todo_runs_chat" ON "todo_runs" USING btree ("workspace_id","chat_id");--> statement-breakpoint
CREATE INDEX "agent_skills_agent" ON "agent_skills" USING btree ("workspace_id","agent_id","created_at","id");--> statement-breakpoint
CREATE INDEX "minute_entries_created" ON "minute_entries" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "agents_created" ON "agents" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
UPDATE "agents" SET "requires_approval" = false WHERE "is_default";--> statement-breakpoint
INSERT INTO "minute_entries" ("workspace_id", "id", "kind", "minutes")
	SELECT "id", gen_random_uuid(), 'grant', "agent_minutes" FROM "workspaces" WHERE "agent_minutes" > 0;
