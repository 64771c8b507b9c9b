export interface LanesOptions<T> {
  /** How many may be under way now. */
  limit(): number;
  /** Whether another one may be started. */
  open(): boolean;
  /** How many are taken at once at most, for each that may be under way. */
  ahead(): number;
  /** Takes up to so many; fewer means that there are no more for now. */
  take(count: number): Promise<T[]>;
  /** Sends one; resolves when the next one may take its lane. */
  send(one: T, inFlight: number): Promise<void>;
  /** Whether it is too old to be started. */
  stale(one: T): boolean;
  /** Gives back those that were taken and not sent. */
  giveBack(left: T[]): Promise<void>;
}

/** How soon it is looked for more while the last ones are under way; doubled up to the second, in milliseconds. */
const firstLookMs = 250;
const lastLookMs = 2_000;

/**
 * Sends what there is to send, so many at a time as the limit allows. It is taken in portions ahead of the lanes, and a
 * slow one holds up its own lane only: while it is under way, others that come up are taken too. Ends when nothing is
 * left and nothing under way, or, once not open any more, when what is under way has ended.
 * @returns how many were sent
 */
export function runLanes<T>(options: LanesOptions<T>): Promise<number> {
  const { limit, open, ahead, take, send, stale, giveBack } = options;
  const waiting: T[] = [];
  let sent = 0;
  let inFlight = 0;
  let taking = false;
  let dry = false;
  let failure: { error: unknown } | undefined;
  let lookMs = firstLookMs;
  let look: NodeJS.Timeout | undefined;

  return new Promise((resolve, reject) => {
    const mayStart = () => failure === undefined && open();

    function pump(): void {
      while (mayStart() && inFlight < limit() && waiting.length > 0) start(waiting.shift() as T);
      if (mayStart() && !dry && !taking && waiting.length < limit()) void refill();
      if (inFlight > 0 || taking) {
        if (dry && mayStart()) look ??= setTimeout(lookForMore, lookMs);
        return;
      }
      clearTimeout(look);
      void finish();
    }

    function lookForMore(): void {
      look = undefined;
      lookMs = Math.min(lastLookMs, lookMs * 2);
      dry = false;
      pump();
    }

    async function refill(): Promise<void> {
      taking = true;
      const count = Math.min(ahead() * limit(), Math.max(2 * limit(), sent));
      try {
        const taken = await take(count);
        waiting.push(...taken);
        dry = taken.length < count;
        if (taken.length > 0) lookMs = firstLookMs;
      } catch (error) {
        failure ??= { error };
      }
      taking = false;
      pump();
    }

    function start(one: T): void {
      if (stale(one)) return void left.push(one);
      inFlight += 1;
      sent += 1;
      send(one, inFlight)
        .catch((error: unknown) => (failure ??= { error }))
        .finally(() => {
          inFlight -= 1;
          pump();
        });
    }

    const left: T[] = [];
    async function finish(): Promise<void> {
      try {
        left.push(...waiting.splice(0));
        if (left.length > 0) await giveBack(left);
        if (failure) throw failure.error;
        resolve(sent);
      } catch (error) {
        reject(error);
      }
    }

    pump();
  });
}
