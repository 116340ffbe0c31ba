CREATE TABLE "labels" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"key" text NOT NULL,
	"color" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "labels_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "labels_color" CHECK (color in ('gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'))
);
--> statement-breakpoint
CREATE TABLE "todo_labels" (
	"workspace_id" uuid NOT NULL,
	"todo_id" uuid NOT NULL,
	"label_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "todo_labels_workspace_id_todo_id_label_id_pk" PRIMARY KEY("workspace_id","todo_id","label_id")
);
--> statement-breakpoint
ALTER TABLE "labels" ADD CONSTRAINT "labels_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_labels" ADD CONSTRAINT "todo_labels_todo_fk" FOREIGN KEY ("workspace_id","todo_id") REFERENCES "public"."todos"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "todo_labels" ADD CONSTRAINT "todo_labels_label_fk" FOREIGN KEY ("workspace_id","label_id") REFERENCES "public"."labels"("workspace_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "labels_key" ON "labels" USING btree ("workspace_id","key");--> statement-breakpoint
CREATE UNIQUE INDEX "todo_labels_label" ON "todo_labels" USING btree ("workspace_id","label_id","created_at","todo_id");