/** How the figures are measured: printed and stored with them. */
export const method = [
  'One machine runs everything: PostgreSQL (fsync on), Redis (appendfsync always), one process of each built app, and the load generators, receivers and bare loops, each as a process. They share the cores.',
  'Figures that are compared are measured alternately in the same run. Each is the median of its repetitions; ± is half the distance between the slowest and the fastest.',
  'Everything is warmed up first. Request bodies are made before the clock starts. The naive implementation, the bare loops and the service get the same orders.',
  'End to end: 16 connections send requests of 100 orders as fast as the 202 responses arrive; the clock stops when every row is stored and no order waits for evaluation, checked every 10 ms.',
  'Processor time is that of a complete end-to-end run, from /proc, with the backends of PostgreSQL as one sum.',
  'Deliveries: the processor time is that of the repetitions, for 10,000 deliveries; the clock stops when no delivery is pending, checked every 20 ms.',
  'Isolation: the order of the runs is balanced, and before each run the database vacuums and writes a checkpoint.',
  'Backlog: the queue sync is paused while the orders are accepted. The rate of each tenth is read from the number of waiting jobs, ten times a second.',
  'Overload: requests are sent when they are due, whatever the responses, over as many connections as that needs. What the service can take is its end-to-end rate, measured just before. The orders of every accepted request are looked up in the table.',
  'Soak: what the service can take is measured with the same requests just before. Start, middle and end are medians of a tenth of 60 samples.',
  'Scale: servers and data of its own for each number of processes. On the cores of one machine throughput would show the machine, so processor time is compared.',
  'Fairness: a merchant with a webhook sends one order of a linked member every 200 ms, for 10 seconds before and then until the last order of the others is stored and evaluated; each is timed from its POST to the first webhook, and its steps by the times that PostgreSQL has. The others use 16 connections.',
  'Growth: one PostgreSQL has a filled and an empty database; the same statements run on both alternately. Processor time is that of all processes of PostgreSQL, without autovacuum, which is off meanwhile. The empty tables are truncated before each run. Reads run one after the other, each with other ids.',
  'Latencies at a fixed rate are measured from the time at which the request was due, so a stall affects every request that it delays.',
  'Side by side: the deliveries are due before the clock starts, and adding them is not measured. Each peer runs as one process, with the number of jobs at a time that was the fastest of those that were tried, and is warmed up; before each run the database vacuums and writes a checkpoint.',
  'Bytes that PostgreSQL writes: from a checkpoint until the system is idle, with full-page images as after any checkpoint.',
];
