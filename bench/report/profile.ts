/**
 * What profiles (`node --cpu-prof` of each process, statement times in PostgreSQL's log, redis `INFO commandstats`)
 * showed to limit each figure. Printed with a missed goal. Measure again when the code in question has changed.
 */
export const profile = {
  bareLoop:
    'CPU time: 10,000 orders take 1.1 s on the two cores. PostgreSQL uses 0.4 s (the statement itself), the API 0.2 s, sync 0.16 s, Redis and the load generator 0.1 s each. A tenth is idle, most of it at the end, when only the last statements run (decision 065)',
  linked:
    'CPU time: the goal of 0.65 allows 1.2 to 1.6 s on the two cores for 10,000 orders (four runs). Without links the same orders take 0.9 to 1.1 s. Their evaluation adds 0.6 to 0.8 s in PostgreSQL and 0.4 to 0.5 s in the worker. In PostgreSQL, writing the rows (a decision for each order; two rewards and two events for every fifth) takes three fifths of the time, and reading the orders under their locks with their last decisions a fifth. In the worker, garbage collection takes a fifth, writing to sockets an eighth, and no function more than 4 % (decision 052)',
  requests:
    'CPU time: the goal of 0.6 allows 1.2 to 1.4 ms on the two cores for a request of 100 orders. Redis takes 0.3 to 0.45 ms of it, a third for syncing its file. The load generator takes 0.5 ms, as it does for bare Express. That leaves about 0.45 ms for the API, whose event loop needs 0.9 to 1.2 ms and is never idle. Of this, nearly a quarter is compressing the orders (which saves a third of the time of Redis, decision 072), a sixth validation, an eighth writing to sockets, a tenth HTTP with Express, a tenth BullMQ with ioredis, and a twenty-fifth garbage collection. With all stages at work, the other stages take as much CPU time again. For 1 order (profile of Node 20): a sixth is Express rendering the response, which bare Express does too, a quarter the version and the job in BullMQ and ioredis, and a tenth each routing, reading the body and writing to sockets',
  deliveries:
    'CPU time: the bare loop sends 19,000 to 32,000 a second, so the goal of 0.3 allows 2.1 to 3.5 s on the two cores for 10,000 deliveries. The worker takes 1.0 to 1.9 s, PostgreSQL 0.7 to 1.0 s, and the receiver up to 0.5 s. With ten endpoints the one JavaScript thread of the worker is busy nine tenths of the time: a fifth in undici and a sixth writing to sockets (both also in the bare loop), a seventh in garbage collection, a twentieth signing, and no other function takes more than 4 %. In PostgreSQL the claim takes two fifths, and recording the attempt three fifths (an update that maintains four indexes, and an insert that maintains two)',
  firstAttempt:
    'about ten writes in sequence (version, job, fetch; upsert, due batch; job, fetch; decision; job, fetch; claim), each by another process on two cores',
  growth:
    'memory access: in the control, a row with a random id takes 8 µs more than on an empty table, 2.2 times as long. An order with a random id and member is added to two indexes of 300 to 700 MB and looked up in a third one, which costs up to 24 µs more. The goal of 1.3 allows 10 µs. After a checkpoint the write-ahead log has each of these pages in full (12 kB for an order instead of 1)',
  growthOfEvaluation:
    'random pages of indexes: ids are derived from hashes, so a first order with its decision, rewards, events and deliveries is added to about 24 random leaves. At 8 µs each, as in the control above, that is 190 µs. The goal of 1.15 allows 60 µs',
  growthOfDeliveries:
    'random pages of indexes: the record of an attempt changes the state, so it adds the delivery to its four indexes, to two of them at a random leaf, and the attempt to its own two, to one of them at a random leaf. At 8 µs each, as in the control above, that is 24 µs. The goal of 1.3 allows 26 µs',
  growthOfHome:
    'the rows that are not counted yet, rewards, and the attempts that the percentiles are taken from',
  growthOfErasure:
    'it changes every order, decision, reward and event of the member: it grows with the member, and not with the tables',
  backlog:
    'one core: while jobs of several merchants wait, large statements of sync run one at a time, so that small ones have a core (decision 050). A third of the two cores is idle meanwhile, and the rate follows the speed of one core and of the memory',
  overload:
    'two thirds of a core for the API: while hundreds of clients connect, which Node accepts one in an iteration of the event loop, a request takes two to three times as long as later; afterwards a request waits up to 75 ms for its place and its parsing, 15 to 50 ms for iterations of the event loop, and 30 to 60 ms for two syncs of the file of Redis. Shorter waits at the start reach 243 to 313 ms, but refuse requests during a rolling restart (decision 056)',
  fairness:
    'CPU time: all processes share two cores. The control, which only stores orders on two connections and has nothing of the service, already multiplies the p50 by 1.6 to 2.5 (19 runs) and the p99 by 0.7 to 2.9; on one connection, which takes half of the cores, by 1.1 and 1.3 (one run). At half of the load, where the cores are not saturated, the p99 was 60 to 166 ms in fourteen of fifteen runs and 354 ms in one: 1.4 to 2.9 times the idle p99 beside unlinked orders, and 1.1 to 5.5 times beside linked ones. The idle p99 is the slowest of 50 orders, 22 to 76 ms. An order passes six processes, with eight round trips to Redis and three commits in sequence. Of the pauses of the event loop of the API that take 15 ms or more, four fifths of the time is waiting for a processor. Large bodies are read three at a time (decision 070) and validated in a thread (decision 064). With the file of Redis in memory the times are the same (decision 050)',
  memory:
    '115 MB (sync) to 134 MB (API) are resident before the first job with Node 24, 57 of them pages of its program, which all processes share; the rest is objects in use, garbage of up to 60 % of their size, buffers that wait for a collection (15 to 23 MB), and free memory that glibc keeps between buffers (decision 011)',
} as const;
