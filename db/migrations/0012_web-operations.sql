CREATE TABLE "todo_comments" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"todo_id" uuid NOT NULL,
	"user_id" uuid,
	"agent_id" uuid,
	"text" text NOT NULL,
	"mentions" uuid[] NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"edited_at" timestamp (3) with time zone,
	CONSTRAINT "todo_comments_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "todo_comments_author" CHECK (num_nonnulls(user_id, agent_id) = 1)
);
--> statement-breakpoint
ALTER TABLE "event_queue" ADD COLUMN "version" integer;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "version" integer;--> statement-breakpoint
ALTER TABLE "todos" ADD COLUMN "version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "todos" ADD COLUMN "created_from" "bytea";--> statement-breakpoint
ALTER TABLE "todo_comments" ADD CONSTRAINT "todo_comments_todo_fk" FOREIGN KEY ("workspace_id","todo_id") REFERENCES "public"."todos"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_comments" ADD CONSTRAINT "todo_comments_user_fk" FOREIGN KEY ("workspace_id","user_id") REFERENCES "public"."members"("workspace_id","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_comments" ADD CONSTRAINT "todo_comments_agent_fk" FOREIGN KEY ("workspace_id","agent_id") REFERENCES "public"."agents"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "todo_comments_todo" ON "todo_comments" USING btree ("workspace_id","todo_id","created_at","id");--> statement-breakpoint
CREATE INDEX "todos_suggested" ON "todos" USING btree ("workspace_id","created_at","id") WHERE is_suggested;--> statement-breakpoint
CREATE INDEX "todos_scheduled" ON "todos" USING btree ("workspace_id","created_at","id") WHERE is_scheduled;--> statement-breakpoint
CREATE INDEX "todos_run" ON "todos" USING btree ("workspace_id","created_at","id") WHERE latest_run_id is not null;--> statement-breakpoint
CREATE INDEX "todo_runs_latest" ON "todo_runs" USING btree ("workspace_id","started_at","id");--> statement-breakpoint
CREATE INDEX "todo_runs_status" ON "todo_runs" USING btree ("workspace_id","status","started_at","id");--> statement-breakpoint
CREATE INDEX "todo_runs_agent" ON "todo_runs" USING btree ("workspace_id","agent_id","started_at","id");