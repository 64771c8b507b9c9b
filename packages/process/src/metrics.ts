import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Histogram buckets for durations, in seconds. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** The metrics of one process, served under /metrics. Names get the prefix `rewardhook_`. */
export interface Metrics {
  registry: Registry;
  counter<L extends string>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  gauge(name: string, help: string, read: () => number | Promise<number>): Gauge;
  /** Durations in seconds. */
  duration<L extends string>(name: string, help: string, labels?: readonly L[]): Histogram<L>;
}

/** Opens the metrics of a process; every sample is labelled with the service. */
export function openMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const common = (name: string, help: string) => ({
    name: `rewardhook_${name}`,
    help,
    registers: [registry],
  });
  return {
    registry,
    counter: (name, help, labels = []) => new Counter({ ...common(name, help), labelNames: labels }),
    gauge: (name, help, read) =>
      new Gauge({
        ...common(name, help),
        async collect() {
          this.set(await read());
        },
      }),
    duration: (name, help, labels = []) =>
      new Histogram({ ...common(name, help), labelNames: labels, buckets: durationBuckets }),
  };
}

/** Times the jobs of a worker, by outcome. */
export function observeJobs(metrics: Metrics): (sample: { outcome: string; seconds: number }) => void {
  const duration = metrics.duration('job_seconds', 'Time to handle a job', ['outcome']);
  return ({ outcome, seconds }) => duration.observe({ outcome }, seconds);
}

/** Shows the length of a worker's queue, by the state of its jobs. */
export function showQueue(metrics: Metrics, counts: () => Promise<Record<string, number>>): void {
  const name = 'rewardhook_queue_jobs';
  new Gauge({
    name,
    help: 'Jobs in the queue by state',
    labelNames: ['state'],
    registers: [metrics.registry],
    async collect() {
      // Without Redis there is no length to show; the readiness check tells of that.
      const known = await counts().catch(() => ({}));
      for (const [state, count] of Object.entries(known)) this.set({ state }, count);
    },
  });
}
