/** The samples of one scrape of all processes: series, such as `name{job="…",queue="sync"}`, → value. */
export type Samples = Map<string, number>;

/** Scrapes `/metrics` of processes, as Prometheus does. A process that does not answer within 2 s has no samples. */
export async function scrapeMetrics(healthUrls: Record<string, string>): Promise<Samples> {
  const samples: Samples = new Map();
  await Promise.all(
    Object.entries(healthUrls).map(async ([name, url]) => {
      const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(2_000) }).catch(
        () => undefined,
      );
      const text = answer?.ok ? await answer.text() : '';
      for (const [, metric, labels = '', value] of text.matchAll(/^(rewardhook_\w+)(?:\{(.*)\})? (\S+)/gm)) {
        const target = `job="rewardhook-${name}",instance="${new URL(url).host}"`;
        samples.set(`${metric}{${labels === '' ? target : `${target},${labels}`}}`, Number(value));
      }
    }),
  );
  return samples;
}
