-- A search reads the whole pending list, with what any workspace has written since it was last emptied: keep it short.
ALTER INDEX "chats_search" SET (gin_pending_list_limit = 256);--> statement-breakpoint
ALTER INDEX "capture_search_trigrams" SET (gin_pending_list_limit = 256);--> statement-breakpoint
ALTER INDEX "captures_tags" SET (gin_pending_list_limit = 256);
