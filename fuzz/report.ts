import type { FuzzResult } from './fuzz-result.ts';

/** The report of a run. */
export function describeFuzz({ seed, sent, statuses, readBack, routes, findings }: FuzzResult): string {
  const servers = [...sent]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { sent: all, reached }]) => `  ${name}: ${all} sent, ${reached} reached a handler`);
  const answers = [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, number]) => `${status} ${number}`);
  const notReached = [...routes].filter(([, reached]) => reached === 0).map(([route]) => route);
  const [rarest = ['none', 0]] = [...routes].toSorted(([, a], [, b]) => a - b);
  return [
    '',
    `seed ${seed}`,
    ...servers,
    `  answers: ${answers.join(', ')}`,
    `  routes whose handler was reached: ${routes.size - notReached.length} of ${routes.size}`,
    notReached.length > 0
      ? `  not reached: ${notReached.join(', ')}`
      : `  the fewest requests reached ${rarest.join(': ')}`,
    `  orders read back: ${readBack}`,
    ...findings.flatMap(({ what, request }) => [
      `  ✗ ${what}`,
      ...(request ? [`    ${JSON.stringify(request).slice(0, 2_000)}`] : []),
    ]),
    findings.length === 0 ? 'passed' : `FAILED: ${findings.length} findings`,
  ].join('\n');
}
