CREATE TABLE "heartbeats" (
	"id" uuid PRIMARY KEY NOT NULL,
	"beat" bigint NOT NULL,
	"beat_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
