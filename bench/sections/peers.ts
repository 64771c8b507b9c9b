import { median, percentile } from '../measure/statistics.ts';
import { openBullMq } from '../peers/bullmq.ts';
import { deliverAll, deliverSteadily } from '../peers/deliver.ts';
import type { DeliveryRun } from '../peers/deliver.ts';
import { openGraphile } from '../peers/graphile.ts';
import { openFastest } from '../peers/open-fastest.ts';
import type { Fastest } from '../peers/open-fastest.ts';
import { preparePeers } from '../peers/prepare.ts';
import { openRewardhook } from '../peers/rewardhook.ts';
import type { System } from '../peers/system.ts';
import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';
import { openTask } from '../tasks/open-task.ts';

const rateSection = 'Side by side: due deliveries to POSTs received, signed, every attempt stored';
const cpuSection = 'Side by side: processor time for 10,000 deliveries to 10 endpoints';
const hangSection = 'Side by side: 9 healthy endpoints, alone and beside one that hangs';
/** The steady load of each endpoint, in deliveries/s, and deliveries that become due together. */
const steady = { perSecond: 25, each: 5 };

type Runs = Map<System, DeliveryRun[]>;

/** The same deliveries through this service, plain BullMQ and graphile-worker (decision 058). */
export async function measurePeers(bench: Bench): Promise<Figure[]> {
  await preparePeers(bench);
  const receiver = await openTask<null, { url: string }, number>('load/receiver.ts', null);
  const { url } = receiver.ready;
  const warmUp = Math.ceil(bench.settings.peerDeliveries / 30) * 10;
  try {
    const bullMq = await openFastest(bench, (concurrency) => openBullMq(bench, url, concurrency), warmUp);
    const graphile = await openFastest(bench, (concurrency) => openGraphile(bench, url, concurrency), warmUp);
    // Of 10 endpoints no more than 10 jobs can run at a time; further slots would only ask for jobs.
    const byEndpoint = await openGraphile(bench, url, 10, { queueForEachEndpoint: true });
    const service = openRewardhook(bench, url);
    // Twice, as the others when their numbers of jobs were tried.
    for (const system of [byEndpoint, service, byEndpoint, service])
      await deliverAll(bench, system, { endpoints: 10, deliveries: warmUp });

    const systems = [service, bullMq.system, graphile.system, byEndpoint];
    const toTen = await measureRates(bench, systems, 10);
    // With a queue for each endpoint, one endpoint gets one delivery at a time.
    const toOne = await measureRates(bench, [service, bullMq.system, graphile.system], 1);
    const hanging: Figure[] = [];
    for (const system of systems) {
      hanging.push(...(await measureHanging(bench, system)));
      await system.close();
    }
    return [
      ...rateFigures('10 endpoints', service, toTen, [bullMq, graphile]),
      ...rateFigures('1 endpoint', service, toOne, []),
      ...systems.flatMap((system) => cpuFigures(system.name, toTen.get(system) ?? [])),
      ...hanging,
    ];
  } finally {
    await receiver.close();
  }
}

/** Alternately, so that a slow minute of the machine affects all of them. */
async function measureRates(bench: Bench, systems: System[], endpoints: number): Promise<Runs> {
  const { repetitions, peerDeliveries: deliveries } = bench.settings;
  const runs: Runs = new Map(systems.map((system) => [system, []]));
  for (let repetition = 1; repetition <= repetitions; repetition += 1) {
    bench.log(
      `peers: ${endpoints} ${endpoints === 1 ? 'endpoint' : 'endpoints'}, repetition ${repetition} of ${repetitions}`,
    );
    for (const [system, own] of runs) own.push(await deliverAll(bench, system, { endpoints, deliveries }));
  }
  return runs;
}

function rateFigures(what: string, service: System, runs: Runs, fastest: Fastest[]): Figure[] {
  const ratesOf = (system: System) => (runs.get(system) ?? []).map(({ perSecond }) => perSecond);
  const peers = [...runs.keys()].filter((system) => system !== service);
  return peers.map((peer) => {
    const tried = fastest.find(({ system }) => system === peer)?.tried;
    const repetitions = ratesOf(service);
    return {
      section: rateSection,
      name: `${what}, compared with ${peer.name}`,
      value: median(repetitions),
      unit: 'deliveries/s',
      repetitions,
      reference: { name: peer.name, value: median(ratesOf(peer)) },
      ...(tried && { note: `${peer.name} with ${describeTried(tried)}` }),
    };
  });
}

function describeTried(tried: Map<number, number>): string {
  const rates = [...tried].map(([jobs, rate]) => `${jobs} jobs at a time: ${Math.round(rate)}`);
  return `${rates.join(', ')} deliveries/s; the fastest is measured`;
}

function cpuFigures(system: string, runs: DeliveryRun[]): Figure[] {
  return Object.keys(runs[0]?.cpu ?? {}).map((process) => {
    const repetitions = runs.map(({ cpu }) => cpu[process] ?? Number.NaN);
    return {
      section: cpuSection,
      name: `${system}: ${process}`,
      value: median(repetitions),
      unit: 's',
      repetitions,
    };
  });
}

/** The p99 at nine healthy endpoints beside one that never responds; the reference is the run in which ten are healthy. */
async function measureHanging(bench: Bench, system: System): Promise<Figure[]> {
  const { peerSeconds: seconds } = bench.settings;
  bench.log(`peers: ${system.name} with 10 healthy endpoints, then with one that hangs`);
  const alone = await deliverSteadily(
    bench,
    system,
    { healthy: 10, hangs: 0 },
    { ...steady, seconds: seconds / 2 },
  );
  const beside = await deliverSteadily(bench, system, { healthy: 9, hangs: 1 }, { ...steady, seconds });
  return [0.5, 0.99].map((share) => ({
    section: hangSection,
    name: `${system.name}: due to response, p${share * 100}`,
    value: percentile(beside, share),
    unit: 'ms',
    reference: { name: 'none hangs', value: percentile(alone, share) },
  }));
}
