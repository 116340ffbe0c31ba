-- An index for each part of the workspaces: of one index for all, each search read what every workspace has of its words.
CREATE INDEX "todo_search_texts_0" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 0;--> statement-breakpoint
CREATE INDEX "todo_search_texts_1" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 1;--> statement-breakpoint
CREATE INDEX "todo_search_texts_2" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 2;--> statement-breakpoint
CREATE INDEX "todo_search_texts_3" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 3;--> statement-breakpoint
CREATE INDEX "todo_search_texts_4" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 4;--> statement-breakpoint
CREATE INDEX "todo_search_texts_5" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 5;--> statement-breakpoint
CREATE INDEX "todo_search_texts_6" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 6;--> statement-breakpoint
CREATE INDEX "todo_search_texts_7" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 7;--> statement-breakpoint
CREATE INDEX "todo_search_texts_8" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 8;--> statement-breakpoint
CREATE INDEX "todo_search_texts_9" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 9;--> statement-breakpoint
CREATE INDEX "todo_search_texts_10" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 10;--> statement-breakpoint
CREATE INDEX "todo_search_texts_11" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 11;--> statement-breakpoint
CREATE INDEX "todo_search_texts_12" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 12;--> statement-breakpoint
CREATE INDEX "todo_search_texts_13" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 13;--> statement-breakpoint
CREATE INDEX "todo_search_texts_14" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 14;--> statement-breakpoint
CREATE INDEX "todo_search_texts_15" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE (get_byte(uuid_send(workspace_id), 15) & 15) = 15;--> statement-breakpoint
-- PostgreSQL does not use the statistics of an index of a part: how many todos have a word decides how they are joined.
CREATE STATISTICS "todo_search_text" ON (title || ' ' || content) FROM "todo_search";--> statement-breakpoint
-- The part follows from the workspace: without these, 200 times fewer todos of a workspace would be expected.
CREATE STATISTICS "todo_search_part" (dependencies) ON workspace_id, (get_byte(uuid_send(workspace_id), 15) & 15) FROM "todo_search";--> statement-breakpoint
ANALYZE "todo_search";--> statement-breakpoint
-- Last: it keeps everybody from the table until the end of the migration.
DROP INDEX "todo_search_texts";
