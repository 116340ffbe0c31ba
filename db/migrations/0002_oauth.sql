CREATE TABLE "connected_apps" (
	"workspace_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"client_name" text NOT NULL,
	"client_uri" text,
	"logo_uri" text,
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"connected_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "connected_apps_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "oauth_artifacts" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"model" text NOT NULL,
	"grant_id" text,
	"payload" json NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"consumed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "credentials" ADD COLUMN "connected_app_id" uuid;--> statement-breakpoint
ALTER TABLE "connected_apps" ADD CONSTRAINT "connected_apps_member_fk" FOREIGN KEY ("workspace_id","user_id") REFERENCES "public"."members"("workspace_id","user_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "connected_apps_created" ON "connected_apps" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "connected_apps_client" ON "connected_apps" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "connected_apps_unredeemed" ON "connected_apps" USING btree ("created_at") WHERE connected_at is null;--> statement-breakpoint
CREATE INDEX "oauth_artifacts_grant" ON "oauth_artifacts" USING btree ("grant_id") WHERE grant_id is not null;--> statement-breakpoint
CREATE INDEX "oauth_artifacts_expiry" ON "oauth_artifacts" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "oauth_artifacts_clients" ON "oauth_artifacts" USING btree ("created_at") WHERE model = 'Client';--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_connected_app_fk" FOREIGN KEY ("workspace_id","connected_app_id") REFERENCES "public"."connected_apps"("workspace_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credentials_connected_app" ON "credentials" USING btree ("workspace_id","connected_app_id") WHERE connected_app_id is not null;--> statement-breakpoint
CREATE INDEX "credentials_oauth_expiry" ON "credentials" USING btree ("expires_at") WHERE kind = 'oauth';