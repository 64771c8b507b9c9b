/** How long each call took until it was served, in milliseconds, one after the other. A refused call is sent again. */
async function measureWaits(calls: number, call: () => Promise<Response>): Promise<number[]> {
  const waits: number[] = [];
  for (let number = 0; number < calls; number += 1) {
    const startedAt = performance.now();
    for (let served = false; !served;) {
      const answer = await call();
      await answer.text();
      served = answer.ok;
    }
    waits.push(performance.now() - startedAt);
  }
  return waits;
}

/** The value in the middle. */
function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** The longest wait of a client in one of several tries. */
const tries = 5;
const callsOfTry = 10;

/**
 * The longest wait of a client, the median of several tries. A pause of the machine then spoils one try, not the figure.
 */
export async function longestWait(call: () => Promise<Response>): Promise<number> {
  const longest: number[] = [];
  for (let number = 0; number < tries; number += 1)
    longest.push(Math.max(...(await measureWaits(callsOfTry, call))));
  return median(longest);
}

/**
 * The limit of a wait on this machine. It is the limit on a quiet machine; on a busy one, three times of what the client waits beside
 * as many clients that do the same with ordinary orders.
 */
export function limitOnThisMachine(limitMs: number, ordinaryMs: number): number {
  return Math.max(limitMs, 3 * ordinaryMs);
}
