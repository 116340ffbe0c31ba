CREATE TABLE "todo_reminders" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"todo_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"days_before" smallint NOT NULL,
	"at_time" time NOT NULL,
	"timezone" text NOT NULL,
	"remind_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "todo_reminders_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "todo_reminders_same" UNIQUE("workspace_id","todo_id","user_id","days_before","at_time","timezone"),
	CONSTRAINT "todo_reminders_days" CHECK (days_before between 0 and 365)
);
--> statement-breakpoint
ALTER TABLE "todos" ADD COLUMN "parent_todo_id" uuid;--> statement-breakpoint
ALTER TABLE "todos" ADD COLUMN "position" text;--> statement-breakpoint
ALTER TABLE "todo_reminders" ADD CONSTRAINT "todo_reminders_todo_fk" FOREIGN KEY ("workspace_id","todo_id") REFERENCES "public"."todos"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_reminders" ADD CONSTRAINT "todo_reminders_user_fk" FOREIGN KEY ("workspace_id","user_id") REFERENCES "public"."members"("workspace_id","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "todo_reminders_due" ON "todo_reminders" USING btree ("remind_at") WHERE remind_at is not null;--> statement-breakpoint
ALTER TABLE "todos" ADD CONSTRAINT "todos_parent_fk" FOREIGN KEY ("workspace_id","parent_todo_id") REFERENCES "public"."todos"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "todos_parent" ON "todos" USING btree ("workspace_id","parent_todo_id","created_at","id") WHERE parent_todo_id is not null;--> statement-breakpoint
CREATE INDEX "todos_position" ON "todos" USING btree ("workspace_id",(coalesce(position, replace(id::text, '-', ''))) collate "C","id");--> statement-breakpoint
CREATE INDEX "todos_archived_position" ON "todos" USING btree ("workspace_id",(coalesce(position, replace(id::text, '-', ''))) collate "C","id") WHERE archived_at is not null;--> statement-breakpoint
CREATE INDEX "todos_list_position" ON "todos" USING btree ("workspace_id","todo_list_id",(coalesce(position, replace(id::text, '-', ''))) collate "C","id") WHERE archived_at is null and not is_suggested;--> statement-breakpoint
ALTER TABLE "todos" ADD CONSTRAINT "todos_not_own_parent" CHECK (parent_todo_id <> id);