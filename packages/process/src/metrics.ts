import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { withTimeout } from './with-timeout.ts';

/** Histogram buckets for durations, in seconds. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** One value of a labelled gauge. */
export interface Sample<L extends string> {
  labels: Record<L, string>;
  value: number;
}

/**
 * The metrics of one process, served at `/metrics`. Names get the prefix `rewardhook_`. A counter or a duration that is opened again
 * is the same one: all servers and routes of a process share it.
 */
export interface Metrics {
  registry: Registry;
  counter<L extends string>(name: string, help: string, labels?: readonly L[]): Counter<L>;
  /**
   * A gauge whose value is read whenever the metrics are collected. While it cannot be read, or is undefined, the metric
   * has no value.
   */
  gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): Gauge;
  /** A gauge with labels, whose values are read whenever the metrics are collected; no values while they cannot be read. */
  gauges<L extends string>(
    name: string,
    help: string,
    labels: readonly L[],
    read: () => Sample<L>[] | Promise<Sample<L>[]>,
  ): Gauge<L>;
  /** A histogram of durations in seconds. */
  duration<L extends string>(
    name: string,
    help: string,
    labels?: readonly L[],
    buckets?: readonly number[],
  ): Histogram<L>;
}

/** A source that does not answer in this time, in milliseconds, does not delay the other metrics. */
const readTimeoutMs = 3_000;

/** Opens the metrics of a process. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const common = (name: string, help: string) => ({
    name: `rewardhook_${name}`,
    help,
    registers: [registry],
  });
  const openOnce = <M>(name: string, open: () => M): M =>
    (registry.getSingleMetric(`rewardhook_${name}`) as M | undefined) ?? open();
  const gauges: Metrics['gauges'] = (name, help, labels, read) =>
    new Gauge({
      ...common(name, help),
      labelNames: labels,
      async collect() {
        // The outage of a source is reported by `dependency_up`. An old value would be taken for the present one.
        const samples = await withTimeout((async () => read())(), readTimeoutMs, 'no answer').catch(() => []);
        if (labels.length > 0) this.reset();
        else this.remove();
        for (const { labels: values, value } of samples) this.set(values, value);
      },
    });
  return {
    registry,
    counter: (name, help, labels = []) =>
      openOnce(name, () => new Counter({ ...common(name, help), labelNames: labels })),
    gauges,
    gauge: (name, help, read) =>
      gauges<never>(name, help, [], async () => {
        const value = await read();
        return value === undefined ? [] : [{ labels: {}, value }];
      }),
    duration: (name, help, labels = [], buckets = durationBuckets) =>
      openOnce(
        name,
        () => new Histogram({ ...common(name, help), labelNames: labels, buckets: [...buckets] }),
      ),
  };
}

/** Opens the histogram of job durations of a queue. Returns the function that records one job. */
export function measureJobs(
  metrics: Metrics,
  queue: string,
): (sample: { outcome: string; seconds: number }) => void {
  const duration = metrics.duration('job_seconds', 'Time to handle a job; sum over replicas', [
    'queue',
    'outcome',
  ]);
  return ({ outcome, seconds }) => duration.observe({ queue, outcome }, seconds);
}

/** Histogram buckets for the time that work takes through a stage, in seconds: up to an hour, as after an outage. */
const latencyBuckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600];

/** Opens the histogram of the time through a stage; the label `stage` names where it ends. */
export function measureLatency(metrics: Metrics): Histogram<'stage'> {
  return metrics.duration(
    'latency_seconds',
    'Time from acceptance to stored, from due to evaluated, from the event to its first attempt, and to delivered; ' +
      'sum over replicas',
    ['stage'],
    latencyBuckets,
  );
}
