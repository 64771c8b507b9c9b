/** The size of a run. */
export interface BenchSettings {
  /** Orders of one end-to-end repetition. */
  orders: number;
  repetitions: number;
  /** Orders of one repetition of the naive implementation, which is much slower. */
  naiveOrders: number;
  /** Seconds of the measurement of the 202. */
  seconds: number;
  /** Orders sent one by one to the idle system. */
  idleOrders: number;
  /** Members with a long history, and the orders that each of them has. */
  historyMembers: number;
  historyOrders: number;
  /** Deliveries of one repetition. */
  deliveries: number;
  /** Orders that wait in Redis while their memory is taken. */
  waitingOrders: number;
  overloadSeconds: number;
  /** Share of the orders that flood the system in the fairness measurement, and of the time before. */
  fairnessScale: number;
  /** Orders, and deliveries, of the shop whose console is read. */
  consoleOrders: number;
}

export const fullRun: BenchSettings = {
  orders: 30_000,
  repetitions: 5,
  naiveOrders: 1_200,
  seconds: 20,
  idleOrders: 200,
  historyMembers: 100,
  historyOrders: 1_000,
  deliveries: 10_000,
  waitingOrders: 10_000,
  overloadSeconds: 60,
  fairnessScale: 1,
  consoleOrders: 10_000_000,
};

export const quickRun: BenchSettings = {
  orders: 6_000,
  repetitions: 2,
  naiveOrders: 400,
  seconds: 4,
  idleOrders: 40,
  historyMembers: 100,
  historyOrders: 200,
  deliveries: 2_000,
  waitingOrders: 2_000,
  overloadSeconds: 15,
  fairnessScale: 0.2,
  consoleOrders: 100_000,
};

/** Orders in a request, and connections of the load generator. */
export const batch = 100;
export const connections = 16;
/** Consecutive orders of one member: the first of five earns rewards when the member has a referrer. */
export const ordersPerMember = 5;
