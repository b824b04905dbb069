CREATE TABLE "clock_readings" (
	"id" integer PRIMARY KEY NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	"trusted_at" timestamp (3) with time zone NOT NULL,
	"jumped_at" timestamp (3) with time zone
);
