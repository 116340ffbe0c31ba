ALTER TABLE "todos" ADD COLUMN "has_had_labels" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "todos" ADD COLUMN "has_had_sub_todos" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- Written by hand: whatever statement adds a label or a sub-todo, of any release, its todo has had one.
CREATE FUNCTION "todos_get_labels"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "public"."todos" t SET has_had_labels = true FROM added a
		WHERE t.workspace_id = a.workspace_id AND t.id = a.todo_id AND NOT t.has_had_labels;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE FUNCTION "todo_gets_sub_todo"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE "public"."todos" SET has_had_sub_todos = true
		WHERE workspace_id = NEW.workspace_id AND id = NEW.parent_todo_id AND NOT has_had_sub_todos;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "todo_labels_added" AFTER INSERT ON "todo_labels" REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION "todos_get_labels"();--> statement-breakpoint
CREATE TRIGGER "todos_sub_todo_added" AFTER INSERT OR UPDATE OF "parent_todo_id" ON "todos" FOR EACH ROW
	WHEN (NEW.parent_todo_id IS NOT NULL) EXECUTE FUNCTION "todo_gets_sub_todo"();--> statement-breakpoint
UPDATE "todos" t SET "has_had_labels" = true WHERE (t.workspace_id, t.id) IN (SELECT workspace_id, todo_id FROM todo_labels);--> statement-breakpoint
UPDATE "todos" t SET "has_had_sub_todos" = true
	WHERE (t.workspace_id, t.id) IN (SELECT workspace_id, parent_todo_id FROM todos WHERE parent_todo_id IS NOT NULL);
