/**
 * What profiles (`node --cpu-prof` of each process, statement times in PostgreSQL's log, redis `INFO commandstats`)
 * showed to limit each figure. Printed with a missed goal. Measure again when the code in question has changed.
 */
export const profile = {
  bareLoop:
    'the processors: 10,000 orders take 1.1 s of both together. PostgreSQL uses 0.4 of it (the statement itself), the API 0.2, sync 0.16, Redis and the load generator 0.1 each, and a tenth is idle, most of it at the end, when only the last statements run (decision 065)',
  linked:
    'the processors: 0.65 of the bare upsert is 10,000 orders in 1.2 to 1.6 s of both together (four runs), of which 0.9 to 1.1 are taken without a link. Their evaluation takes 0.6 to 0.8 s of PostgreSQL and 0.4 to 0.5 of the worker. The rows alone, a decision for each order, and two rewards and two events for every fifth, are three fifths of the time of PostgreSQL; reading the orders under their locks with their last decisions is a fifth. Of the worker, a fifth is garbage collection, an eighth writing to sockets, and no function more than 4 % (decision 052)',
  requests:
    'the processors: 0.6 of bare Express is a request of 100 orders in 1.2 to 1.4 ms of both together. Redis takes 0.3 to 0.45 of that, a third of it syncing its file, and the load generator, which bare Express has too, 0.5. So about 0.45 would be left for the API, whose event loop takes 0.9 to 1.2 and is never idle: nearly a quarter is compressing the orders (which saves a third of the time of Redis, decision 072), a sixth validation, an eighth writing to sockets, a tenth each HTTP with Express, and BullMQ with ioredis, and a twenty-fifth garbage collection. With all stages at work the same orders take as much again from both cores. For 1 order (Node 20): a sixth is Express rendering the response (bare Express does that too), a quarter the version and the job in BullMQ and ioredis, a tenth each routing, reading the body and writing to sockets',
  deliveries:
    'the processors: the bare loop sends 19,000 to 32,000 a second, so 0.3 of it is 10,000 deliveries in 2.1 to 3.5 s of both together; the worker takes 1.0 to 1.9, PostgreSQL 0.7 to 1.0 and the receiver up to 0.5. With ten endpoints the worker, whose JavaScript has one thread, is busy nine tenths of the time. Of its time, a sixth is writing to sockets and a fifth undici (the bare loop has both too), a seventh garbage collection, a twentieth signing, and no other function more than 4 %; of PostgreSQL two fifths are the claim and three fifths the record (an update that enters four indexes, and the row of the attempt with two)',
  firstAttempt:
    'about ten writes in sequence (version, job, fetch; upsert, due batch; job, fetch; decision; job, fetch; claim), each by another process on two cores',
  growth:
    'memory, not instructions: the control, a row with a random id in a table with one index, takes 8 µs more than on an empty table, 2.2 times as long. An order with a random id and member is added to two indexes of 300 to 700 MB and searches a third one, which is up to 24 µs, and 1.3 times as long as on empty tables would be 10. After a checkpoint the log has each of these pages as a whole (12 kB for an order instead of 1)',
  growthOfEvaluation:
    'ids are derived from hashes, so that a first order with its decision, rewards, events and deliveries is added to about 24 random leaves of indexes: 190 µs at 8 each, as in the control above, and 1.15 times as long as on empty tables would be 60',
  growthOfDeliveries:
    'the record of an attempt changes the state, so that it adds the delivery to its four indexes, to two of them at a random leaf, and the attempt to its own, to one of them at a random leaf: 24 µs at 8 each, as in the control above, and 1.3 times as long as on empty tables would be 26',
  growthOfHome:
    'the rows that are not counted yet, rewards, and the attempts that the percentiles are taken from',
  growthOfErasure:
    'it changes every order, decision, reward and event of the member: it grows with the member, and not with the tables',
  overload:
    'two thirds of a core for the API: while hundreds of clients connect, which Node accepts one in an iteration of the event loop, a request takes two to three times as long as later; afterwards a request waits up to 75 ms for its place and its parsing, 15 to 50 ms for iterations of the event loop, and 30 to 60 ms for two syncs of the file of Redis. Shorter waits at the start reach 243 to 313 ms, but refuse requests during a rolling restart (decision 056)',
  fairness:
    'two cores for all processes: beside the control, which only stores orders on two connections and has nothing of the service, the p50 is multiplied by 1.6 to 2.5 already (18 runs), and the p99 by 0.7 to 2.9. At half of the load, where the cores are not saturated, the p99 is 60 to 166 ms in twelve of thirteen runs, and 354 in one: 1.4 to 2.9 times the idle one beside unlinked orders, and 1.1 to 5.5 times beside linked ones. The idle one, the slowest of 50 orders, is 22 to 76 ms. The mean time of each step is with p50: the order passes six processes, with eight round trips to Redis and three commits one after the other, each with its share of the processor. Of the pauses of the event loop of the API that take 15 ms or more, four fifths of the time is waiting for a processor; bodies of megabytes are read three at a time (decision 070) and validated in a thread (decision 064). With the file of Redis in memory the times are the same (decision 050)',
  memory:
    '115 MB (sync) to 134 MB (API) are resident before the first job with Node 24, 57 of them pages of its program, which all processes share; the rest is objects in use, garbage of up to 60 % of their size, buffers that wait for a collection (15 to 23 MB), and free memory that glibc keeps between buffers (decision 011)',
} as const;
