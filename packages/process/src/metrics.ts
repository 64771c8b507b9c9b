import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Histogram buckets for durations, in seconds. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** The metrics of one process, served at `/metrics`. Names get the prefix `rewardhook_`. */
export interface Metrics {
  registry: Registry;
  counter<L extends string>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  /** A gauge whose value is read whenever the metrics are collected. */
  gauge(name: string, help: string, read: () => number | Promise<number>): Gauge;
  /** A histogram of durations in seconds. */
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

/** Opens the histogram of job durations. Returns the function that records one job. */
export function measureJobs(metrics: Metrics): (sample: { outcome: string; seconds: number }) => void {
  const duration = metrics.duration('job_seconds', 'Time to handle a job', ['outcome']);
  return ({ outcome, seconds }) => duration.observe({ outcome }, seconds);
}

/** Opens the gauge of the number of jobs in a queue, by state. `counts` returns state → number of jobs. */
export function measureQueue(metrics: Metrics, counts: () => Promise<Record<string, number>>): void {
  new Gauge({
    name: 'rewardhook_queue_jobs',
    help: 'Jobs in the queue by state',
    labelNames: ['state'],
    registers: [metrics.registry],
    async collect() {
      // While Redis is unavailable there are no numbers; the readiness check reports the outage.
      const known = await counts().catch(() => ({}));
      for (const [state, count] of Object.entries(known)) this.set({ state }, count);
    },
  });
}
