-- Written by hand. The previous release calls what it reads of a todo "version" in its statements, which were ambiguous beside
-- a column of this name: none of its changes of todos succeeded on this database.
ALTER TABLE "todos" RENAME COLUMN "version" TO "revision";--> statement-breakpoint
-- Code between that release and this migration reads the old name, so it is refused at its start, by a row that it does not know.
INSERT INTO "tandem_compatible_migrations" ("tag", "hash", "runs_with")
	VALUES ('0034_version-of-todos-renamed', '', '0034_revision-of-todos');
