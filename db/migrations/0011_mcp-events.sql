ALTER TABLE "webhook_endpoints" ADD COLUMN "connected_app_id" uuid;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "subscription" jsonb;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD COLUMN "expires_at" timestamp (3) with time zone;