-- Counts of past quarter-hours for the home page of the console, which would otherwise count all rows of 30 days each time.
CREATE TABLE "activity_counts" (
    "merchant_id" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(6) NOT NULL,
    "subject" TEXT NOT NULL,
    "reason" TEXT NOT NULL DEFAULT '',
    "total" INTEGER NOT NULL,

    CONSTRAINT "activity_counts_pkey" PRIMARY KEY ("merchant_id","starts_at","subject","reason")
);

-- How far the rows of a merchant are counted.
CREATE TABLE "activity_progress" (
    "merchant_id" TEXT NOT NULL,
    "counted_until" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "activity_progress_pkey" PRIMARY KEY ("merchant_id")
);
ALTER TABLE "activity_counts" ADD CONSTRAINT "activity_counts_subject"
  CHECK ("subject" IN ('order', 'delivery', 'decision'));
