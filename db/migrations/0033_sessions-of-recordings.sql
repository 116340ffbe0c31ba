-- A recording ends with the session that started it. Those that run now, and those of a release before, have none.
ALTER TABLE "recordings" ADD COLUMN "credential_id" uuid;