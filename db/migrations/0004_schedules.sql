CREATE TABLE "notification_settings" (
	"workspace_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"in_app" boolean DEFAULT true NOT NULL,
	"email" boolean DEFAULT true NOT NULL,
	CONSTRAINT "notification_settings_workspace_id_user_id_kind_pk" PRIMARY KEY("workspace_id","user_id","kind")
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"title" text NOT NULL,
	"text" text NOT NULL,
	"todo_id" uuid,
	"chat_id" uuid,
	"approval_id" uuid,
	"dedupe" text NOT NULL,
	"in_app" boolean NOT NULL,
	"email" text NOT NULL,
	"email_attempts" integer DEFAULT 0 NOT NULL,
	"email_due_at" timestamp (3) with time zone,
	"read_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notifications_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "todo_occurrences" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"todo_id" uuid NOT NULL,
	"planned_at" timestamp (3) with time zone NOT NULL,
	"fired_at" timestamp (3) with time zone,
	"status" text NOT NULL,
	"run_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "todo_occurrences_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "todo_schedules" (
	"workspace_id" uuid NOT NULL,
	"todo_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"rrule" text,
	"timezone" text NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"status" text NOT NULL,
	"paused" boolean DEFAULT false NOT NULL,
	"next_run_at" timestamp (3) with time zone,
	"user_id" uuid NOT NULL,
	"scopes" text[] NOT NULL,
	"last_fired_at" timestamp (3) with time zone,
	"consecutive_failures" integer DEFAULT 0 NOT NULL,
	"error_code" text,
	"error_message" text,
	"error_at" timestamp (3) with time zone,
	"last_notification_status" text,
	"last_notification_sent_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "todo_schedules_workspace_id_todo_id_pk" PRIMARY KEY("workspace_id","todo_id"),
	CONSTRAINT "todo_schedules_rule" CHECK ((kind = 'recurring') = (rrule is not null))
);
--> statement-breakpoint
ALTER TABLE "todos" ADD COLUMN "is_scheduled" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_user_fk" FOREIGN KEY ("workspace_id","user_id") REFERENCES "public"."members"("workspace_id","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_fk" FOREIGN KEY ("workspace_id","user_id") REFERENCES "public"."members"("workspace_id","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_occurrences" ADD CONSTRAINT "todo_occurrences_todo_fk" FOREIGN KEY ("workspace_id","todo_id") REFERENCES "public"."todos"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_schedules" ADD CONSTRAINT "todo_schedules_todo_fk" FOREIGN KEY ("workspace_id","todo_id") REFERENCES "public"."todos"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_schedules" ADD CONSTRAINT "todo_schedules_user_fk" FOREIGN KEY ("workspace_id","user_id") REFERENCES "public"."members"("workspace_id","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notifications_dedupe" ON "notifications" USING btree ("workspace_id","dedupe","user_id");--> statement-breakpoint
CREATE INDEX "notifications_created" ON "notifications" USING btree ("workspace_id","user_id","created_at","id") WHERE in_app;--> statement-breakpoint
CREATE INDEX "notifications_unread" ON "notifications" USING btree ("workspace_id","user_id","created_at","id") WHERE in_app and read_at is null;--> statement-breakpoint
CREATE INDEX "notifications_age" ON "notifications" USING brin ("created_at");--> statement-breakpoint
CREATE INDEX "notifications_letters" ON "notifications" USING btree ("email_due_at") WHERE email = 'pending';--> statement-breakpoint
CREATE UNIQUE INDEX "todo_occurrences_planned" ON "todo_occurrences" USING btree ("workspace_id","todo_id","planned_at");--> statement-breakpoint
CREATE INDEX "todo_schedules_due" ON "todo_schedules" USING btree ("next_run_at") WHERE next_run_at is not null;