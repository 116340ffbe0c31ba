CREATE TABLE "audio_removals" (
	"workspace_id" uuid NOT NULL,
	"recording_id" uuid NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "audio_removals_workspace_id_recording_id_pk" PRIMARY KEY("workspace_id","recording_id")
);
--> statement-breakpoint
CREATE TABLE "capture_pieces" (
	"workspace_id" uuid NOT NULL,
	"capture_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"end_ms" integer NOT NULL,
	"segments" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "capture_pieces_workspace_id_capture_id_position_pk" PRIMARY KEY("workspace_id","capture_id","position")
);
--> statement-breakpoint
CREATE TABLE "capture_search" (
	"workspace_id" uuid NOT NULL,
	"capture_id" uuid NOT NULL,
	"title" text NOT NULL,
	"body" text NOT NULL,
	"summary" text NOT NULL,
	CONSTRAINT "capture_search_workspace_id_capture_id_pk" PRIMARY KEY("workspace_id","capture_id")
);
--> statement-breakpoint
CREATE TABLE "capture_tags" (
	"workspace_id" uuid NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"last_used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "capture_tags_workspace_id_key_pk" PRIMARY KEY("workspace_id","key")
);
--> statement-breakpoint
CREATE TABLE "capture_work" (
	"workspace_id" uuid NOT NULL,
	"capture_id" uuid NOT NULL,
	"step" text NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"claims" smallint DEFAULT 0 NOT NULL,
	"tries" smallint DEFAULT 0 NOT NULL,
	"worker_id" uuid,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "capture_work_workspace_id_capture_id_pk" PRIMARY KEY("workspace_id","capture_id")
);
--> statement-breakpoint
CREATE TABLE "captures" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"type" text NOT NULL,
	"status" text NOT NULL,
	"user_id" uuid NOT NULL,
	"title" text,
	"title_given" boolean DEFAULT false NOT NULL,
	"subtitle" text,
	"summary" text,
	"content" text,
	"transcript" text,
	"notes" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"language" text,
	"duration_seconds" integer,
	"recording_id" uuid,
	"recorded_at" timestamp (3) with time zone,
	"audio_key" text,
	"audio_type" text,
	"failure_code" text,
	"failure_message" text,
	"failure_retryable" boolean,
	"failed_at" timestamp (3) with time zone,
	"active_ms" integer DEFAULT 0 NOT NULL,
	"minutes" numeric(12, 1) DEFAULT 0 NOT NULL,
	"archived_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "captures_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "captures_failure" CHECK ((status = 'failed') = (failure_code is not null)),
	CONSTRAINT "captures_note" CHECK (type <> 'note' or status = 'completed')
);
--> statement-breakpoint
CREATE TABLE "recordings" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"capture_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"token_expires_at" timestamp (3) with time zone NOT NULL,
	"resume_hash" "bytea",
	"media_type" text,
	"holder" uuid,
	"lease_until" timestamp (3) with time zone,
	"last_audio_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"chunks" integer DEFAULT 0 NOT NULL,
	"size_bytes" bigint DEFAULT 0 NOT NULL,
	"max_seconds" integer NOT NULL,
	"opened_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"stopped_at" timestamp (3) with time zone,
	"stop_reason" text,
	CONSTRAINT "recordings_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "recordings_stopped" CHECK ((stopped_at is null) = (stop_reason is null))
);
--> statement-breakpoint
CREATE TABLE "chat_captures" (
	"workspace_id" uuid NOT NULL,
	"chat_id" uuid NOT NULL,
	"position" smallint NOT NULL,
	"capture_id" uuid NOT NULL,
	CONSTRAINT "chat_captures_workspace_id_chat_id_position_pk" PRIMARY KEY("workspace_id","chat_id","position")
);
--> statement-breakpoint
ALTER TABLE "minute_entries" ADD COLUMN "capture_id" uuid;--> statement-breakpoint
ALTER TABLE "capture_pieces" ADD CONSTRAINT "capture_pieces_capture_fk" FOREIGN KEY ("workspace_id","capture_id") REFERENCES "public"."captures"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "capture_search" ADD CONSTRAINT "capture_search_capture_fk" FOREIGN KEY ("workspace_id","capture_id") REFERENCES "public"."captures"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "capture_tags" ADD CONSTRAINT "capture_tags_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "capture_work" ADD CONSTRAINT "capture_work_capture_fk" FOREIGN KEY ("workspace_id","capture_id") REFERENCES "public"."captures"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "captures" ADD CONSTRAINT "captures_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recordings" ADD CONSTRAINT "recordings_capture_fk" FOREIGN KEY ("workspace_id","capture_id") REFERENCES "public"."captures"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_captures" ADD CONSTRAINT "chat_captures_chat_fk" FOREIGN KEY ("workspace_id","chat_id") REFERENCES "public"."chats"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "chat_captures" ADD CONSTRAINT "chat_captures_capture_fk" FOREIGN KEY ("workspace_id","capture_id") REFERENCES "public"."captures"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audio_removals_next" ON "audio_removals" USING btree ("next_at");--> statement-breakpoint
CREATE INDEX "capture_search_trigrams" ON "capture_search" USING gin ("workspace_id","title" gin_trgm_ops,"body" gin_trgm_ops,"summary" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "capture_work_lease" ON "capture_work" USING btree ("lease_until");--> statement-breakpoint
CREATE UNIQUE INDEX "captures_recording" ON "captures" USING btree ("workspace_id","recording_id");--> statement-breakpoint
CREATE INDEX "captures_created" ON "captures" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "captures_updated" ON "captures" USING btree ("workspace_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "captures_tags" ON "captures" USING gin ("workspace_id","tags");--> statement-breakpoint
CREATE UNIQUE INDEX "recordings_capture" ON "recordings" USING btree ("workspace_id","capture_id");--> statement-breakpoint
CREATE INDEX "recordings_token" ON "recordings" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "recordings_resume" ON "recordings" USING btree ("resume_hash");--> statement-breakpoint
CREATE INDEX "recordings_silent" ON "recordings" USING btree ("last_audio_at") WHERE stopped_at is null;--> statement-breakpoint
CREATE INDEX "chat_captures_capture" ON "chat_captures" USING btree ("workspace_id","capture_id");--> statement-breakpoint
ALTER TABLE "todos" ADD CONSTRAINT "todos_capture_fk" FOREIGN KEY ("workspace_id","capture_id") REFERENCES "public"."captures"("workspace_id","id") ON DELETE no action ON UPDATE no action;