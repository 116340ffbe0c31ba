CREATE TABLE "capture_points" (
	"workspace_id" uuid NOT NULL,
	"capture_id" uuid NOT NULL,
	"key" text NOT NULL,
	"points" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "capture_points_workspace_id_capture_id_key_pk" PRIMARY KEY("workspace_id","capture_id","key")
);
--> statement-breakpoint
ALTER TABLE "capture_points" ADD CONSTRAINT "capture_points_capture_fk" FOREIGN KEY ("workspace_id","capture_id") REFERENCES "public"."captures"("workspace_id","id") ON DELETE cascade ON UPDATE no action;