/** How much is measured. */
export interface BenchSettings {
  /** Orders of one end-to-end repetition. */
  orders: number;
  repetitions: number;
  /** Orders of one repetition of the ordinary version: it takes seconds for what ours does in a moment. */
  naiveOrders: number;
  /** Seconds of each latency and requests/s measurement. */
  seconds: number;
  /** Deliveries of one repetition. */
  deliveries: number;
  /** Repetitions of the isolation measurement; four balance its order, and so do eight. */
  crowdRepetitions: number;
  /** Seconds of the isolation measurement's steady load. */
  steadySeconds: number;
  /** Orders sent one by one to the idle system. */
  idleOrders: number;
  /** Orders that wait in Redis while their memory is taken. */
  waitingOrders: number;
}

export const fullRun: BenchSettings = {
  orders: 30_000,
  repetitions: 3,
  naiveOrders: 1_200,
  seconds: 8,
  deliveries: 10_000,
  crowdRepetitions: 4,
  steadySeconds: 20,
  idleOrders: 200,
  waitingOrders: 10_000,
};

export const quickRun: BenchSettings = {
  orders: 6_000,
  repetitions: 2,
  naiveOrders: 400,
  seconds: 2,
  deliveries: 2_000,
  crowdRepetitions: 2,
  steadySeconds: 6,
  idleOrders: 40,
  waitingOrders: 2_000,
};

/** A merchant sends so many orders in a request, over so many connections. */
export const batch = 100;
export const connections = 16;
/** So many orders in a row are of one member: every fifth order of linked members earns a reward. */
export const ordersPerMember = 5;
