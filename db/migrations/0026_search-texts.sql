-- One key of title and content instead of two: words are intersected by one scan, and a change of a text writes less.
CREATE INDEX "todo_search_texts" ON "todo_search" USING gin ("workspace_id",("title" || ' ' || "content") gin_trgm_ops) WITH (gin_pending_list_limit = 256);--> statement-breakpoint
-- Statistics of whole texts would be read at every planning of a search, and say little of words.
ALTER INDEX "todo_search_texts" ALTER COLUMN 2 SET STATISTICS 0;--> statement-breakpoint
DROP INDEX "todo_search_trigrams";
