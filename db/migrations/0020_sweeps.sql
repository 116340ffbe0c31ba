CREATE TABLE "sweeps" (
	"name" text PRIMARY KEY NOT NULL,
	"begun_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
