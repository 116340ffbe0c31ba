CREATE TABLE "event_positions" (
	"workspace_id" uuid NOT NULL,
	"latest" bigint DEFAULT 0 NOT NULL,
	"expired" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "event_positions_workspace_id_pk" PRIMARY KEY("workspace_id")
);
--> statement-breakpoint
CREATE TABLE "event_queue" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"type" text NOT NULL,
	"object_id" uuid NOT NULL,
	"parents" jsonb NOT NULL,
	"changed_fields" text[] NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" uuid,
	"credential_id" uuid,
	"via" text NOT NULL,
	"request_id" text,
	"reader_id" uuid,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "event_queue_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"transaction" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"occurred_at" timestamp (3) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "event_queue_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"type" text NOT NULL,
	"object_id" uuid NOT NULL,
	"parents" jsonb NOT NULL,
	"changed_fields" text[] NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" uuid,
	"credential_id" uuid,
	"via" text NOT NULL,
	"request_id" text,
	"reader_id" uuid,
	"sequence" bigint NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "events_workspace_id_sequence_pk" PRIMARY KEY("workspace_id","sequence")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "events_id" ON "events" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE INDEX "events_object" ON "events" USING btree ("workspace_id","object_id","sequence");--> statement-breakpoint
CREATE INDEX "events_actor" ON "events" USING btree ("workspace_id","actor_id","sequence");--> statement-breakpoint
CREATE INDEX "events_age" ON "events" USING brin ("occurred_at");