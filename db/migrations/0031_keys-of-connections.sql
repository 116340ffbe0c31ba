-- A key of a connected app belongs to its connection: an access token lasts an hour. Keys are deleted by their age.
ALTER TABLE "idempotency_keys" DROP CONSTRAINT "idempotency_keys_credential_fk";