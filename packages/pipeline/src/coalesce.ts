/** Limits of `coalesce`. */
export interface CoalesceOptions<I> {
  /** Maximum weight of one batch. A single item may be heavier. */
  maxWeight: number;
  /** Weight of an item; default 1. */
  weightOf?: (item: I) => number;
  /**
   * The group of an item. A batch takes one item of each waiting group in turn, so that no group waits for all items of
   * another. Without it, the order is that of the calls.
   */
  groupOf?: (item: I) => string;
  /** Whether the items of a batch are all of one group; default false. The groups take turns. */
  oneGroup?: boolean;
  /** Maximum number of batches in progress. */
  concurrency: number;
  /**
   * Whether the items of a failed batch are retried one by one, so that none fails because of another; or for which errors.
   * Default true.
   */
  retryIndividually?: boolean | ((error: unknown) => boolean);
  /**
   * Makes fewer and larger batches under load: after a batch of at least `afterItems` items, the next one begins `ms` after
   * it began, or as soon as it is full. Without load nothing waits.
   */
  spacing?: { afterItems: number; ms: number };
}

interface Call<I, O> {
  item: I;
  resolve(result: O): void;
  reject(error: unknown): void;
}

/**
 * Combines calls into batches (group commit): the first call runs at once, and the calls made while a batch is in
 * progress share the next one. So a call on an idle system does not wait, and a busy system runs one batch for many
 * calls. `runBatch` returns one result per item, in the same order.
 */
export function coalesce<I, O>(
  runBatch: (items: I[]) => Promise<O[]>,
  {
    maxWeight,
    weightOf = () => 1,
    groupOf,
    oneGroup = false,
    concurrency,
    retryIndividually = true,
    spacing,
  }: CoalesceOptions<I>,
): (item: I) => Promise<O> {
  let waiting: Call<I, O>[] = [];
  let waitingWeight = 0;
  let inProgress = 0;
  /** Until when the next batch waits, as `performance.now()`, unless it is full. */
  let pausedUntil = -Infinity;
  let pause: NodeJS.Timeout | undefined;

  const takeBatch = (): Call<I, O>[] => {
    if (groupOf) waiting = alternate(waiting, groupOf);
    const [first] = waiting;
    const isEligible = ({ item }: Call<I, O>) =>
      !oneGroup || !groupOf || !first || groupOf(item) === groupOf(first.item);
    let weight = 0;
    const batch: Call<I, O>[] = [];
    for (const call of waiting.filter(isEligible)) {
      weight += weightOf(call.item);
      if (batch.length > 0 && weight > maxWeight) break;
      batch.push(call);
    }
    const taken = new Set(batch);
    waiting = waiting.filter((call) => !taken.has(call));
    for (const { item } of batch) waitingWeight -= weightOf(item);
    if (spacing && batch.length >= spacing.afterItems) pausedUntil = performance.now() + spacing.ms;
    return batch;
  };
  const runOne = async ({ item, resolve, reject }: Call<I, O>) => {
    try {
      resolve((await runBatch([item]))[0] as O);
    } catch (error) {
      reject(error);
    }
  };
  const retries = typeof retryIndividually === 'function' ? retryIndividually : () => retryIndividually;
  const run = async (calls: Call<I, O>[]) => {
    if (calls.length === 1) return runOne(calls[0] as Call<I, O>);
    try {
      const results = await runBatch(calls.map(({ item }) => item));
      calls.forEach(({ resolve }, index) => resolve(results[index] as O));
    } catch (error) {
      if (!retries(error)) for (const { reject } of calls) reject(error);
      else for (const call of calls) await runOne(call);
    }
  };
  /** Whether the next batch has to wait; it is started later then. */
  const isPaused = () => {
    if (waitingWeight >= maxWeight) return false;
    const leftMs = pausedUntil - performance.now();
    if (leftMs <= 0) return false;
    pause ??= setTimeout(() => {
      pause = undefined;
      startBatches();
    }, leftMs);
    return true;
  };
  const startBatches = () => {
    while (inProgress < concurrency && waiting.length > 0 && !isPaused()) {
      inProgress += 1;
      clearTimeout(pause);
      pause = undefined;
      void run(takeBatch()).finally(() => {
        inProgress -= 1;
        startBatches();
      });
    }
  };
  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      const wasFull = waitingWeight >= maxWeight;
      waitingWeight += weightOf(item);
      // Deferred to the next iteration of the event loop, so that the calls of a burst share a batch.
      if (waiting.length === 1 || (!wasFull && waitingWeight >= maxWeight)) setImmediate(startBatches);
    });
}

/**
 * As {@link coalesce}, separately for each key: a batch has items of one key, and the limits of `options` are those of a
 * key. Nothing is kept for a key without items.
 */
export function coalesceBy<I, O>(
  keyOf: (item: I) => string,
  runBatch: (items: I[]) => Promise<O[]>,
  options: CoalesceOptions<I>,
): (item: I) => Promise<O> {
  const groups = new Map<string, { call: (item: I) => Promise<O>; pending: number }>();
  return async (item) => {
    const key = keyOf(item);
    const group = groups.get(key) ?? { call: coalesce(runBatch, options), pending: 0 };
    groups.set(key, group);
    group.pending += 1;
    try {
      return await group.call(item);
    } finally {
      group.pending -= 1;
      if (group.pending === 0) groups.delete(key);
    }
  };
}

/** Orders calls so that their groups alternate: the first call of each group, then the second of each, and so on. */
function alternate<I, O>(calls: Call<I, O>[], groupOf: (item: I) => string): Call<I, O>[] {
  const counts = new Map<string, number>();
  const rounds: Call<I, O>[][] = [];
  for (const call of calls) {
    const group = groupOf(call.item);
    const round = counts.get(group) ?? 0;
    counts.set(group, round + 1);
    (rounds[round] ??= []).push(call);
  }
  return rounds.flat();
}
