-- What the pruner has done, by table.
CREATE TABLE "prunings" (
    "table_name" TEXT NOT NULL,
    "pruned_until" TIMESTAMPTZ(6) NOT NULL,
    "finished_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "prunings_pkey" PRIMARY KEY ("table_name")
);
