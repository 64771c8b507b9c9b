import { overloaded } from '../http/api-error.ts';

/** Limits of the admission. Times are in milliseconds. */
export interface AdmissionLimits {
  /**
   * Maximum number of requests that are handled at a time. Half of it while the queue is standing: it has not been empty for
   * as long as a request may wait in a burst. Half as many more are for merchants with a few requests.
   */
  inProgress: number;
  /** How long a request may wait in a burst when no request was refused in the last `calmMs`. */
  burstWaitMs: number;
  /**
   * How long a request may wait in a burst when one was refused in the last `calmMs`. Under a load that is a little too high the
   * queue becomes empty now and then, so each of its bursts would have the longer time.
   */
  overloadWaitMs: number;
  /** How long a request may wait while the queue is standing. */
  standingWaitMs: number;
  /** An overload has ended when no request was refused for this time. */
  calmMs: number;
}

/** A request that is being handled. */
export interface Admitted {
  /**
   * Refuses the request if it has waited for longer than a request may wait in a burst, while other requests wait: called before
   * its work begins, because the work of some requests has to wait for each other.
   * @throws ApiError `service_unavailable`
   */
  refuseIfLate(): void;
  /** Called when the request is handled. */
  end(): void;
}

/** Decides which requests are handled, in which order, and which are refused because the process is overloaded. */
export interface Admission {
  /**
   * Refuses a request whose body has not been read yet, if it would wait too long.
   * @throws ApiError `service_unavailable`
   */
  check(merchantId: string): void;
  /**
   * Waits until a request may be handled.
   * @throws ApiError `service_unavailable` when the request has waited too long
   */
  enter(merchantId: string): Promise<Admitted>;
  /** Number of requests that are being handled. */
  inProgress(): number;
  /** Number of requests that wait to be handled. */
  waiting(): number;
}

/**
 * Half a second absorbs a burst, a pause of the process, and the clients of another process that ends. Once a request was
 * refused, 75 ms keep the latency of the accepted ones low. Under a load that does not end, 20 ms keep the process busy.
 */
export const defaultWaits = { burstWaitMs: 500, overloadWaitMs: 75, standingWaitMs: 20, calmMs: 2_000 };

/** The mean interval is that of about this number of requests. */
const requestsOfMean = 16;

interface Waiter {
  since: number;
  admit(): void;
  refuse(): void;
}

/**
 * Opens an admission. Requests wait in one queue for each merchant, and the queues are served round robin, so a merchant who
 * sends too much delays no other. How long a request may wait follows "controlled delay" (Ben Maurer, "Fail at Scale", ACM Queue,
 * September 2015): a queue that becomes empty from time to time absorbs bursts, one that does not only adds delay.
 */
export function openAdmission(limits: AdmissionLimits): Admission {
  /** The requests that wait, by merchant. The first queue is served next. */
  const queues = new Map<string, Waiter[]>();
  let inProgress = 0;
  /** Of these, the requests that took a place of the reserve. They leave the other places to those that wait. */
  let inReserve = 0;
  /** The number in progress by merchant. */
  const inProgressOf = new Map<string, number>();
  let waiting = 0;
  /** When nothing waited for the last time. */
  let emptyAt = performance.now();
  /** Of the requests that were admitted since then: when the last one was, their number, and the mean interval. */
  let lastAdmittedAt = emptyAt;
  let admissions = 0;
  let meanIntervalMs = 0;
  let checkScheduled = false;
  let refusedAt = -Infinity;

  const maxBurstMs = () =>
    performance.now() - refusedAt < limits.calmMs ? limits.overloadWaitMs : limits.burstWaitMs;
  /** Whether the queue is not that of a burst. */
  const isStanding = () => performance.now() - emptyAt > maxBurstMs();
  const maxWaitMs = () => (isStanding() ? limits.standingWaitMs : maxBurstMs());
  const refusal = () => {
    refusedAt = performance.now();
    return overloaded();
  };
  /** More at a time share the writes of Redis, which gives more throughput; fewer take less time each. */
  const maxInProgress = () => (isStanding() ? Math.ceil(limits.inProgress / 2) : limits.inProgress);

  /** A merchant with a few requests need not wait until one of another merchant ends. */
  const reserve = Math.ceil(limits.inProgress / 2);
  const hasFew = (merchantId: string) =>
    !queues.has(merchantId) && (inProgressOf.get(merchantId) ?? 0) < limits.inProgress / 4;

  const setEmpty = () => {
    emptyAt = performance.now();
    lastAdmittedAt = emptyAt;
    admissions = 0;
    meanIntervalMs = 0;
  };
  /** Removes the oldest request of a queue. The queue goes behind the others. */
  const shift = (merchantId: string, queue: Waiter[]): Waiter | undefined => {
    const waiter = queue.shift();
    waiting -= 1;
    queues.delete(merchantId);
    if (queue.length > 0) queues.set(merchantId, queue);
    return waiter;
  };
  /** The only request of a merchant may wait longer: it is not what the overload comes from. */
  const maxWaitOf = (requests: number) => (requests > 1 ? maxWaitMs() : maxBurstMs());
  const refuseOverdue = () => {
    const now = performance.now();
    for (const [merchantId, queue] of Array.from(queues))
      while (queue[0] && now - queue[0].since > maxWaitOf(queue.length)) shift(merchantId, queue)?.refuse();
  };
  const begin = (merchantId: string) => {
    inProgress += 1;
    inProgressOf.set(merchantId, (inProgressOf.get(merchantId) ?? 0) + 1);
  };
  const end = (merchantId: string) => {
    inProgress -= 1;
    const left = (inProgressOf.get(merchantId) ?? 0) - 1;
    if (left > 0) inProgressOf.set(merchantId, left);
    else inProgressOf.delete(merchantId);
  };
  const admitWaiting = () => {
    refuseOverdue();
    const atMost = maxInProgress();
    for (const [merchantId, queue] of queues) {
      if (inProgress - inReserve >= atMost) break;
      const at = performance.now();
      admissions += 1;
      meanIntervalMs += (at - lastAdmittedAt - meanIntervalMs) / Math.min(admissions, requestsOfMean);
      lastAdmittedAt = at;
      begin(merchantId);
      shift(merchantId, queue)?.admit();
    }
    if (waiting === 0) setEmpty();
  };
  /** Requests are refused in time also while none of those in progress ends. */
  const scheduleCheck = () => {
    if (checkScheduled) return;
    checkScheduled = true;
    setTimeout(() => {
      checkScheduled = false;
      admitWaiting();
      if (waiting > 0) scheduleCheck();
    }, limits.standingWaitMs).unref();
  };
  const admitted = (merchantId: string, enteredAt: number, ofReserve = false): Admitted => {
    let ended = false;
    return {
      refuseIfLate() {
        if (waiting > 0 && performance.now() - enteredAt > maxBurstMs()) throw refusal();
      },
      end() {
        if (ended) return;
        ended = true;
        end(merchantId);
        if (ofReserve) inReserve -= 1;
        admitWaiting();
      },
    };
  };

  return {
    inProgress: () => inProgress,
    waiting: () => waiting,
    check(merchantId) {
      if (waiting === 0 || hasFew(merchantId)) return;
      // In each round until this request is served, one of every other merchant may be served.
      const own = queues.get(merchantId)?.length ?? 0;
      const ahead = Math.min(waiting, (own + 1) * queues.size);
      if (ahead * meanIntervalMs > maxWaitOf(own + 1)) throw refusal();
    },
    async enter(merchantId) {
      const enteredAt = performance.now();
      if (waiting === 0) setEmpty();
      if (waiting === 0 && inProgress - inReserve < limits.inProgress) {
        begin(merchantId);
        return admitted(merchantId, enteredAt);
      }
      if (inReserve < reserve && hasFew(merchantId)) {
        begin(merchantId);
        inReserve += 1;
        return admitted(merchantId, enteredAt, true);
      }
      await new Promise<void>((resolve, reject) => {
        const queue = queues.get(merchantId) ?? [];
        queue.push({ since: enteredAt, admit: resolve, refuse: () => reject(refusal()) });
        queues.set(merchantId, queue);
        waiting += 1;
        scheduleCheck();
      });
      return admitted(merchantId, enteredAt);
    },
  };
}
