/** The size of a run. */
export interface BenchSettings {
  /** Orders of one end-to-end repetition. */
  orders: number;
  repetitions: number;
  /** Orders of one repetition of the naive implementation, which is much slower. */
  naiveOrders: number;
  /** Seconds of each latency and requests/s measurement. */
  seconds: number;
  /** Deliveries of one repetition. */
  deliveries: number;
  /** Deliveries of one repetition beside the peers: a multiple of 10. */
  peerDeliveries: number;
  /** Seconds of the steady load of the peers while an endpoint hangs. */
  peerSeconds: number;
  /** Jobs at a time that are tried for each peer. */
  peerConcurrencies: number[];
  /** Repetitions of the isolation measurement: a multiple of four balances the order of its runs. */
  isolationRepetitions: number;
  /** Seconds of the isolation measurement's steady load. */
  steadySeconds: number;
  /** Deliveries of a burst to each endpoint of the isolation measurement. */
  isolationBurst: number;
  /** Deliveries of one merchant that wait while those of another are timed. */
  waitingDeliveries: number;
  /** Orders sent one by one to the idle system. */
  idleOrders: number;
  /** Orders that wait in Redis while their memory is taken. */
  waitingOrders: number;
  /** Seconds of the overload. */
  overloadSeconds: number;
  /** Orders that wait when the workers of the backlog measurement begin. */
  backlogOrders: number;
  /** Minutes of the soak test. */
  soakMinutes: number;
  /** Share of the orders that flood the system in the fairness measurement, and of the time before. */
  fairnessScale: number;
  /** Processes of each worker in the runs of the scale measurement, from 1. */
  scaleCounts: number[];
  /** What the processes of the service are started from. */
  startFrom: 'built' | 'source';
}

export const fullRun: BenchSettings = {
  orders: 30_000,
  repetitions: 5,
  naiveOrders: 1_200,
  seconds: 8,
  deliveries: 10_000,
  peerDeliveries: 4_000,
  peerSeconds: 12,
  peerConcurrencies: [25, 50, 100, 200],
  isolationRepetitions: 4,
  steadySeconds: 20,
  isolationBurst: 40,
  waitingDeliveries: 100_000,
  idleOrders: 200,
  waitingOrders: 10_000,
  overloadSeconds: 120,
  backlogOrders: 1_000_000,
  soakMinutes: 15,
  fairnessScale: 1,
  scaleCounts: [1, 2, 4],
  startFrom: 'built',
};

export const quickRun: BenchSettings = {
  orders: 6_000,
  repetitions: 2,
  naiveOrders: 400,
  seconds: 2,
  deliveries: 2_000,
  peerDeliveries: 1_000,
  peerSeconds: 6,
  peerConcurrencies: [50, 100],
  isolationRepetitions: 2,
  steadySeconds: 6,
  isolationBurst: 40,
  waitingDeliveries: 100_000,
  idleOrders: 40,
  waitingOrders: 2_000,
  overloadSeconds: 20,
  backlogOrders: 100_000,
  soakMinutes: 2,
  fairnessScale: 0.3,
  scaleCounts: [1, 2, 4],
  startFrom: 'built',
};

/** For tests: its figures mean nothing. */
export const smallestRun: BenchSettings = {
  orders: 1_000,
  repetitions: 1,
  naiveOrders: 40,
  seconds: 1,
  deliveries: 200,
  peerDeliveries: 100,
  peerSeconds: 2,
  peerConcurrencies: [10],
  isolationRepetitions: 1,
  steadySeconds: 2,
  isolationBurst: 1,
  waitingDeliveries: 20_000,
  idleOrders: 5,
  waitingOrders: 400,
  overloadSeconds: 2,
  backlogOrders: 4_000,
  soakMinutes: 0.1,
  fairnessScale: 0.03,
  scaleCounts: [1, 2],
  startFrom: 'source',
};

/** Orders in a request, and connections of the load generator. */
export const batch = 100;
export const connections = 16;
/** Consecutive orders of one member: the first of five earns rewards when the member has a referrer. */
export const ordersPerMember = 5;
