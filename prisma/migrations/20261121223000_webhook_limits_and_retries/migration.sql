-- AlterTable
ALTER TABLE "merchants" ADD COLUMN     "last_ping_at" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "first_success_at" TIMESTAMPTZ(6),
ADD COLUMN     "retry_at" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "retry_at" TIMESTAMPTZ(6);

-- CreateTable
CREATE TABLE "webhook_hosts" (
    "host" TEXT NOT NULL,
    "next_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "webhook_hosts_pkey" PRIMARY KEY ("host")
);

-- CreateIndex
CREATE INDEX "endpoints_url_idx" ON "endpoints" USING HASH ("url");

-- CreateIndex
CREATE INDEX "deliveries_retry_idx" ON "deliveries"("endpoint_id", "retry_at") WHERE (state = 'pending' AND retry_at IS NOT NULL);

-- What Prisma cannot express. A webhook that has had a delivery answered with 2xx is not new.
UPDATE "endpoints" p SET "first_success_at" = now() WHERE EXISTS (
  SELECT 1 FROM "deliveries" d
  WHERE d."merchant_id" = p."merchant_id" AND d."endpoint_id" = p."id" AND d."state" = 'delivered');
