/** How the figures come about: printed and written beside them. */
export const method = [
  'One machine runs everything: PostgreSQL (fsync on), Redis (appendfsync always), one process of each app as built, and the load generators, receivers and bare loops, each a process of its own. They share the cores.',
  'Figures that are compared come from the same run, in turns. Each is the median of its repetitions; ± is half the distance between the slowest and the fastest.',
  'Everything is warmed up first. Request bodies are made before the clock starts. The ordinary version, the bare loops and the service get the same orders.',
  'End to end: 16 connections send requests of 100 orders as fast as 202s come; the clock stops when every row is stored and no order waits for its judgement, looked at every 10 ms.',
  'Processor time is that of a whole end-to-end run, from /proc, with the backends of PostgreSQL in one sum.',
  'Isolation: the order of the runs is balanced, and before each the database does what the one before has left to vacuum and to write.',
  'Latencies at a rate count from the time at which the request was to be sent, so a stall shows in all requests that it holds up.',
];
