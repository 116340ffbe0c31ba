DROP INDEX "todos_position";--> statement-breakpoint
DROP INDEX "todos_archived_position";--> statement-breakpoint
DROP INDEX "todos_list_position";--> statement-breakpoint
CREATE INDEX "todos_position" ON "todos" USING btree ("workspace_id",(coalesce(position, replace(id::text, '-', ''))) collate "C","id","position","archived_at","is_suggested");--> statement-breakpoint
CREATE INDEX "todos_archived_position" ON "todos" USING btree ("workspace_id",(coalesce(position, replace(id::text, '-', ''))) collate "C","id","position") WHERE archived_at is not null;--> statement-breakpoint
CREATE INDEX "todos_list_position" ON "todos" USING btree ("workspace_id","todo_list_id",(coalesce(position, replace(id::text, '-', ''))) collate "C","id","position") WHERE archived_at is null and not is_suggested;