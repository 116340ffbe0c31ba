CREATE TABLE "digests" (
	"workspace_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"subject_id" uuid NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"tries" smallint DEFAULT 0 NOT NULL,
	"worker_id" uuid,
	"lease_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "digests_workspace_id_kind_subject_id_pk" PRIMARY KEY("workspace_id","kind","subject_id")
);
--> statement-breakpoint
DROP INDEX "audio_removals_next";--> statement-breakpoint
DROP INDEX "capture_work_lease";--> statement-breakpoint
DROP INDEX "chat_turns_lease";--> statement-breakpoint
DROP INDEX "notifications_letters";--> statement-breakpoint
ALTER TABLE "audio_removals" ADD COLUMN "attempt" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "digests_due" ON "digests" USING btree ("workspace_id","lease_until");--> statement-breakpoint
CREATE INDEX "audio_removals_due" ON "audio_removals" USING btree ("workspace_id","next_at");--> statement-breakpoint
CREATE INDEX "capture_work_due" ON "capture_work" USING btree ("workspace_id","lease_until");--> statement-breakpoint
CREATE INDEX "chat_turns_due" ON "chat_turns" USING btree ("workspace_id","lease_until") WHERE ended_at is null and lease_until is not null;--> statement-breakpoint
CREATE INDEX "notifications_emails_due" ON "notifications" USING btree ("workspace_id","email_due_at") WHERE email = 'pending';--> statement-breakpoint
-- The previous release keeps its queue in the schema of pg-boss. It may run beside this release and after it, so the schema
-- stays, and a later release drops it. Turns and captures have rows that both releases claim; what is queued for them is
-- due at the time of its job, which spares the 20 seconds after which the row itself is due. Digests are rows in this
-- release and jobs in the previous one: triggers keep a row for each job, and make jobs of rows that are overdue.
-- A new database has no such schema, or that of another program, in any version of pg-boss and perhaps of another role.
DO $$
BEGIN
	IF (
		SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'pgboss' AND c.relname IN ('job', 'queue')
			AND has_schema_privilege(n.oid, 'usage') AND has_table_privilege(c.oid, 'select')
	) < 2 THEN
		RETURN;
	END IF;
	IF (SELECT count(*) FROM "pgboss"."queue" WHERE "name" IN ('turns', 'digests')) < 2 THEN
		RETURN;
	END IF;
	INSERT INTO "digests" ("workspace_id", "kind", "subject_id", "worker_id", "lease_until")
		SELECT ("data" ->> 'workspaceId')::uuid, "data" ->> 'kind', ("data" ->> 'id')::uuid,
			(array_agg("id" ORDER BY "start_after"))[1], min("start_after")
		FROM "pgboss"."job" WHERE "name" = 'digests' AND "state" IN ('created', 'retry', 'active') GROUP BY 1, 2, 3;
	UPDATE "chat_turns" t SET "lease_until" = greatest(j."due", t."not_before") FROM (
			SELECT ("data" ->> 'workspaceId')::uuid AS "workspace_id", ("data" ->> 'turnId')::uuid AS "turn_id",
				min("start_after") AS "due"
			FROM "pgboss"."job" WHERE "name" = 'turns' AND "state" IN ('created', 'retry') GROUP BY 1, 2
		) j
		WHERE t."workspace_id" = j."workspace_id" AND t."id" = j."turn_id"
			AND t."ended_at" IS NULL AND t."worker_id" IS NULL AND t."lease_until" IS NOT NULL;
	UPDATE "capture_work" w SET "lease_until" = j."due" FROM (
			SELECT ("data" ->> 'workspaceId')::uuid AS "workspace_id", ("data" ->> 'captureId')::uuid AS "capture_id",
				max("start_after") AS "due"
			FROM "pgboss"."job" WHERE "name" = 'captures' AND "state" IN ('created', 'retry') GROUP BY 1, 2
		) j
		WHERE w."workspace_id" = j."workspace_id" AND w."capture_id" = j."capture_id" AND w."worker_id" IS NULL;

	-- The functions are in the schema of pg-boss, so that they are dropped with it.
	BEGIN
		-- A job of the previous release is a row whose worker is the job. It is due for this release when the previous one
		-- has not done it in 20 seconds.
		CREATE FUNCTION "pgboss"."tandem_digest_queued"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $f$
		BEGIN
			INSERT INTO "digests" ("workspace_id", "kind", "subject_id", "worker_id", "lease_until")
				VALUES ((NEW."data" ->> 'workspaceId')::uuid, NEW."data" ->> 'kind', (NEW."data" ->> 'id')::uuid, NEW."id",
					greatest(NEW."start_after", now()) + interval '20 seconds')
				ON CONFLICT ("workspace_id", "kind", "subject_id") DO UPDATE SET "attempt" = "digests"."attempt" + 1, "tries" = 0,
					"worker_id" = excluded."worker_id", "lease_until" = excluded."lease_until";
			RETURN NULL;
		END $f$;
		-- Done, or given up. pg-boss deletes and inserts a job that it tries again, in one statement.
		CREATE FUNCTION "pgboss"."tandem_digest_ended"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $f$
		BEGIN
			DELETE FROM "digests" WHERE "workspace_id" = (OLD."data" ->> 'workspaceId')::uuid AND "kind" = OLD."data" ->> 'kind'
				AND "subject_id" = (OLD."data" ->> 'id')::uuid AND "worker_id" = OLD."id";
			RETURN NULL;
		END $f$;
		-- pg-boss updates its queues every few seconds while a process of the previous release runs.
		CREATE FUNCTION "pgboss"."tandem_digests_overdue"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $f$
		BEGIN
			INSERT INTO "pgboss"."job" ("name", "data", "retry_limit", "retry_delay", "retry_backoff", "retry_delay_max",
					"expire_seconds", "deletion_seconds", "heartbeat_seconds", "policy")
				SELECT q."name", jsonb_build_object('workspaceId', d."workspace_id", 'kind', d."kind", 'id', d."subject_id"),
					q."retry_limit", q."retry_delay", q."retry_backoff", q."retry_delay_max", q."expire_seconds",
					q."deletion_seconds", q."heartbeat_seconds", q."policy"
				FROM (
					SELECT d.* FROM "digests" d WHERE d."lease_until" < now() - interval '5 seconds' AND NOT EXISTS (
						SELECT FROM "pgboss"."job" j
						WHERE j."name" = 'digests' AND j."id" = d."worker_id" AND j."state" IN ('created', 'retry', 'active')
					) ORDER BY d."lease_until" LIMIT 200 FOR UPDATE SKIP LOCKED
				) d JOIN "pgboss"."queue" q ON q."name" = 'digests';
			RETURN NULL;
		END $f$;
		CREATE TRIGGER "tandem_digest_queued" AFTER INSERT ON "pgboss"."job" FOR EACH ROW
			WHEN (NEW."name" = 'digests' AND NEW."state" IN ('created', 'retry'))
			EXECUTE FUNCTION "pgboss"."tandem_digest_queued"();
		CREATE TRIGGER "tandem_digest_ended" AFTER DELETE ON "pgboss"."job" FOR EACH ROW
			WHEN (OLD."name" = 'digests') EXECUTE FUNCTION "pgboss"."tandem_digest_ended"();
		CREATE TRIGGER "tandem_digests_overdue" AFTER UPDATE ON "pgboss"."queue" FOR EACH STATEMENT
			EXECUTE FUNCTION "pgboss"."tandem_digests_overdue"();
	EXCEPTION WHEN insufficient_privilege THEN
		RAISE WARNING 'This role may not create triggers in the schema pgboss: digests are not passed on between this release and the previous one.';
	END;
END $$;
