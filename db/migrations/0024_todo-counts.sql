CREATE TABLE "counted_workspaces" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"counted_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "todo_count_changes" (
	"workspace_id" uuid NOT NULL,
	"todo_list_id" uuid NOT NULL,
	"status" text NOT NULL,
	"priority" smallint NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "todo_count_changes_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"todos" integer NOT NULL,
	"minutes" integer NOT NULL,
	CONSTRAINT "todo_count_changes_workspace_id_position_pk" PRIMARY KEY("workspace_id","position")
);
--> statement-breakpoint
CREATE TABLE "todo_counts" (
	"workspace_id" uuid NOT NULL,
	"todo_list_id" uuid NOT NULL,
	"status" text NOT NULL,
	"priority" smallint NOT NULL,
	"todos" bigint NOT NULL,
	"minutes" bigint NOT NULL,
	CONSTRAINT "todo_counts_workspace_id_todo_list_id_status_priority_pk" PRIMARY KEY("workspace_id","todo_list_id","status","priority")
);
--> statement-breakpoint
-- Written by hand: what is added is taken away again soon.
ALTER TABLE "todo_count_changes" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000);--> statement-breakpoint
-- Whatever statement changes what a todo is counted as, of any release, notes it in its transaction.
CREATE FUNCTION "todo_is_counted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "public"."todo_count_changes" (workspace_id, todo_list_id, status, priority, todos, minutes)
		VALUES (NEW.workspace_id, NEW.todo_list_id, NEW.status, coalesce(NEW.priority, 0), 1,
			CASE WHEN NEW.status = 'done' THEN coalesce(NEW.minutes_saved, 0) ELSE 0 END);
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE FUNCTION "todo_is_not_counted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "public"."todo_count_changes" (workspace_id, todo_list_id, status, priority, todos, minutes)
		VALUES (OLD.workspace_id, OLD.todo_list_id, OLD.status, coalesce(OLD.priority, 0), -1,
			CASE WHEN OLD.status = 'done' THEN -coalesce(OLD.minutes_saved, 0) ELSE 0 END);
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE FUNCTION "todo_is_counted_anew"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	was constant boolean := OLD.archived_at IS NULL AND NOT OLD.is_suggested;
	is_now constant boolean := NEW.archived_at IS NULL AND NOT NEW.is_suggested;
	minutes_before constant integer := CASE WHEN OLD.status = 'done' THEN coalesce(OLD.minutes_saved, 0) ELSE 0 END;
	minutes_now constant integer := CASE WHEN NEW.status = 'done' THEN coalesce(NEW.minutes_saved, 0) ELSE 0 END;
BEGIN
	IF was AND is_now THEN
		INSERT INTO "public"."todo_count_changes" (workspace_id, todo_list_id, status, priority, todos, minutes) VALUES
			(OLD.workspace_id, OLD.todo_list_id, OLD.status, coalesce(OLD.priority, 0), -1, -minutes_before),
			(NEW.workspace_id, NEW.todo_list_id, NEW.status, coalesce(NEW.priority, 0), 1, minutes_now);
	ELSIF was THEN
		INSERT INTO "public"."todo_count_changes" (workspace_id, todo_list_id, status, priority, todos, minutes)
			VALUES (OLD.workspace_id, OLD.todo_list_id, OLD.status, coalesce(OLD.priority, 0), -1, -minutes_before);
	ELSIF is_now THEN
		INSERT INTO "public"."todo_count_changes" (workspace_id, todo_list_id, status, priority, todos, minutes)
			VALUES (NEW.workspace_id, NEW.todo_list_id, NEW.status, coalesce(NEW.priority, 0), 1, minutes_now);
	END IF;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "todos_counted" AFTER INSERT ON "todos" FOR EACH ROW
	WHEN (NEW.archived_at IS NULL AND NOT NEW.is_suggested) EXECUTE FUNCTION "todo_is_counted"();--> statement-breakpoint
CREATE TRIGGER "todos_counted_anew"
	AFTER UPDATE OF "todo_list_id", "status", "priority", "minutes_saved", "archived_at", "is_suggested" ON "todos" FOR EACH ROW
	WHEN ((OLD.todo_list_id, OLD.status, OLD.priority, OLD.minutes_saved, OLD.archived_at IS NULL AND NOT OLD.is_suggested)
		IS DISTINCT FROM
		(NEW.todo_list_id, NEW.status, NEW.priority, NEW.minutes_saved, NEW.archived_at IS NULL AND NOT NEW.is_suggested))
	EXECUTE FUNCTION "todo_is_counted_anew"();--> statement-breakpoint
CREATE TRIGGER "todos_not_counted" AFTER DELETE ON "todos" FOR EACH ROW
	WHEN (OLD.archived_at IS NULL AND NOT OLD.is_suggested) EXECUTE FUNCTION "todo_is_not_counted"();
