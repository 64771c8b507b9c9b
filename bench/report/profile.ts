/**
 * What profiles (`node --cpu-prof` of each process, statement times in PostgreSQL's log, redis `INFO commandstats`)
 * showed to limit each figure. Printed with a missed goal. Measure again when the code in question has changed.
 */
export const profile = {
  bareLoop:
    'the processor is saturated: of 1.9 s for 10,000 orders PostgreSQL takes 0.7 (the statement itself), the API 0.5, sync 0.3, Redis and the load generator 0.2 each',
  linked:
    'the processor: 0.65 of the bare upsert is 10,000 orders in 2.3 s of both cores together, and without a link they take 1.7 already. That leaves 66 µs for the evaluation of an order, and its rows alone take 49 µs of PostgreSQL. With 500 orders in a transaction PostgreSQL takes 81 µs: decisions 19, rewards 18, reading the orders under their locks with their last decisions 17, events 13, first orders and earlier rewards 8, referrals 3. The worker takes 45 to 60 µs, and none of its functions more than a tenth (decision 052)',
  requests:
    'the API, for 100 orders: a third is parsing (bare Express does that too), a sixth each garbage collection and validation with finding the orders in the body, a tenth writing to sockets, the rest Express, BullMQ and ioredis; for 1 order: a sixth Express rendering the response (bare Express does that too), a quarter the version and the job in BullMQ and ioredis, a tenth each routing, reading the body and writing to sockets',
  deliveries:
    'the processor: 0.3 of the bare loop is 10,000 deliveries in 4.4 s of both cores together; the worker takes 2.2, PostgreSQL 1.6, and the receiver shares the rest. Of the worker, a quarter is undici (the bare loop has that too), a tenth each writing to sockets, garbage and signing twice; of PostgreSQL, for each delivery, about 45 µs are the claim and 65 the record (an update that enters four indexes, and the row of the attempt with two)',
  firstAttempt:
    'about ten writes in sequence (version, job, fetch; upsert, due batch; job, fetch; decision; job, fetch; claim), each by another process on two cores',
  growth:
    'memory, not instructions: an order with a random id and member touches a leaf of three indexes of 300 to 700 MB that the processor has not cached, and after a checkpoint the log has each of these pages as a whole (12 kB for an order instead of 1)',
  growthOfEvaluation:
    'ids are derived from hashes, so that a first order with its decision, rewards, events and deliveries is added to about 24 random leaves of indexes, at about 10 µs each',
  growthOfDeliveries:
    'a delivery changes its state twice, and the state is part of partial indexes, so that each change adds an entry to every index of the table',
  growthOfHome:
    'the rows that are not counted yet, rewards, and the attempts that the percentiles are taken from',
  growthOfErasure:
    'it changes every order, decision, reward and event of the member: it grows with the member, and not with the tables',
  overload:
    'two thirds of a core for the API: while hundreds of clients connect, which Node accepts one in an iteration of the event loop, a request takes two to three times as long as later; afterwards a request waits up to 75 ms for its place and its parsing, 15 to 50 ms for iterations of the event loop, and 30 to 60 ms for two syncs of the file of Redis. Shorter waits at the start reach 243 to 313 ms, but refuse requests during a rolling restart (decision 056)',
  fairness:
    'two cores for all processes: beside the control, which only stores orders on two connections and has nothing of the service, the p50 is multiplied by 1.6 to 2.5 already (seven runs). The mean time of each step is with p50: the order passes six processes, with eight round trips to Redis and three commits one after the other, each with its share of the processor. Of the pauses of the event loop of the API that take 15 ms or more, four fifths of the time is waiting for a processor; bodies of megabytes are parsed in a thread (decision 064). With the file of Redis in memory the times are the same (decision 050)',
  memory:
    'about 85 MB are used before the first job (Node 43, winston and joi 19, BullMQ and ioredis 23); the rest is garbage and buffers: the heap may grow by 80 % between two collections, and a limit of 30 % costs up to a third more processor time (decision 011)',
} as const;
