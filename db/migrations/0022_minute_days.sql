CREATE TABLE "minute_days" (
	"workspace_id" uuid NOT NULL,
	"day" date NOT NULL,
	"granted" numeric(14, 1) NOT NULL,
	"quarters" smallint[] NOT NULL,
	"quarter_minutes" integer[] NOT NULL,
	"quarter_turns" integer[] NOT NULL,
	"agents" uuid[] NOT NULL,
	"triggers" text[] NOT NULL,
	"work_minutes" integer[] NOT NULL,
	"work_turns" integer[] NOT NULL,
	"again_quarters" smallint[] NOT NULL,
	"again_after" integer[] NOT NULL,
	"again_work" smallint[] NOT NULL,
	"again_turns" integer[] NOT NULL,
	CONSTRAINT "minute_days_workspace_id_day_pk" PRIMARY KEY("workspace_id","day")
);
--> statement-breakpoint
CREATE TABLE "minute_positions" (
	"workspace_id" uuid PRIMARY KEY NOT NULL,
	"summed_until" date NOT NULL
);
--> statement-breakpoint
ALTER TABLE "minute_days" ADD CONSTRAINT "minute_days_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "minute_positions" ADD CONSTRAINT "minute_positions_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "minute_entries_turn" ON "minute_entries" USING btree ("workspace_id","turn_id") WHERE turn_id is not null;--> statement-breakpoint
-- Written by hand: an entry of a day that may be summed up already, by any statement of any release, is summed up anew.
CREATE FUNCTION "minute_entry_is_late"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "public"."minute_positions" AS p (workspace_id, summed_until) VALUES (NEW.workspace_id, '-infinity')
		ON CONFLICT (workspace_id) DO UPDATE SET summed_until = (NEW.created_at AT TIME ZONE 'UTC')::date
		WHERE p.summed_until > (NEW.created_at AT TIME ZONE 'UTC')::date;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "minute_entries_late" AFTER INSERT ON "minute_entries" FOR EACH ROW
	WHEN (NEW.created_at < clock_timestamp() - interval '1 hour') EXECUTE FUNCTION "minute_entry_is_late"();
