-- How many todos have a word decides how their ids are joined: without statistics each of 200,000 was looked up by itself.
ALTER INDEX "todo_search_texts" ALTER COLUMN 2 SET STATISTICS -1;
--> statement-breakpoint
ANALYZE "todo_search";
