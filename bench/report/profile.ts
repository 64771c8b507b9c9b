/**
 * What profiles (`node --cpu-prof` of each process, statement times in PostgreSQL's log, redis `INFO commandstats`)
 * showed to be in the way of each goal. Told beside a goal that is missed; to be looked at again when the code it
 * speaks of has changed.
 */
export const profile = {
  bareLoop:
    'the processor is full: of 1.3 s for 10,000 orders PostgreSQL takes 0.45 (the statement itself), the API 0.33, sync 0.29, the load generator 0.1',
  linked:
    'PostgreSQL, of judging an order: two fifths are the rows and the many indexes of rewards and events, a fifth each its decision and the order read with its last decision, the rest rewards given before, referrals with their locks and the earliest orders of members',
  requests:
    'of the API, for 100 orders: parsing 0.48 ms (bare Express does that too), the JSON of the job 0.31, garbage 0.3 to 0.5 (parsed and validated copies of each order), validation 0.35, writing the job to Redis 0.25; for 1 order: BullMQ and ioredis around two commands',
  deliveries:
    'the processor: of the worker, a fifth is writing to sockets and a seventh the pg client around the claim and record statements',
  firstAttempt:
    'about ten writes one after the other (version, job, fetch; upsert, mark; job, fetch; judgement; job, fetch; claim), each a turn of another process on two cores',
  memory:
    "about 115 MB are there before the first job (Node 43, winston and joi 19, BullMQ and ioredis 23, Prisma's client and its query compiler in WebAssembly 40); the rest is garbage that V8 leaves as long as the machine has memory: a limit of the old generation would bring it below 150 MB, but a few 10 MiB requests at a time would then end the api",
} as const;
