/**
 * What profiles (`node --cpu-prof` of each process, pg_stat_statements, auto_explain, redis `INFO commandstats`) showed
 * to be in the way of each goal, at commit e16feea. Told beside a goal that is missed; to be looked at again when
 * the code it speaks of has changed.
 */
export const profile = {
  bareLoop:
    'the processor is full: of 1.6 s for 10,000 orders PostgreSQL takes 0.4 to 0.6 (the statement itself), the API 0.4, sync 0.35 to 0.4 (a sixth of it Prisma turning the one JSON parameter into JSON again and back), the load generator 0.15 to 0.25',
  linked:
    'statements whose cost grows with the merchant, because the planner expects a handful of rows of a merchant it has no statistics of yet: readDueOrders scans all his rewards for each order (170 of 204 ms for 300 orders), addSiblings all his orders twice and all his rewards for each batch; then SQL functions that cannot be inlined (was_told, iso_utc), and the rows of decisions and due_judgements',
  requests:
    'of the API, for 100 orders: parsing 0.46 ms, validation 0.11, making the job JSON and its bytes 0.37, the rest per request: two commands to Redis one after the other (the version, then the job), each with its own write, read and fsync, and an AbortController with its DOMException for the deadline',
  deliveries:
    'the processor: of the worker, a fifth is writing to sockets and a seventh the pg client and Prisma around the claim and record statements; an endpoint sends 32, waits for all of them to be stored, and only then claims the next',
  firstAttempt:
    'not settled: the code makes about ten writes one after the other (version, job, fetch; upsert, mark; job, fetch; judgement; job, fetch; claim), but with synchronous_commit off it was no faster on a busy machine, so waiting for the processor at each hop counts at least as much as the disk',
  memory:
    "Prisma's query compiler (WebAssembly, about 50 MB, compiled even for raw SQL), copies of each batch made by Prisma, --enable-source-maps (about 20 MB), and a young generation that V8 lets grow as long as the machine has memory",
} as const;
