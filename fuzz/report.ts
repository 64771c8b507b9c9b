import type { FuzzResult } from './run-fuzz.ts';

/** The report of a run. */
export function describeFuzz({ seed, sent, statuses, readBack, routes, findings }: FuzzResult): string {
  const rows = [...sent]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { sent: all, reached }]) => `  ${name}: ${all} sent, ${reached} reached a handler`);
  const answers = [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, number]) => `${status} ${number}`);
  return [
    ...['', `seed ${seed}`, ...rows, `  answers: ${answers.join(', ')}`],
    `  routes whose handler was reached: ${routes.reached} of ${routes.all}${routes.notReached.length === 0 ? '' : `; not ${routes.notReached.join(', ')}`}`,
    `  orders read back: ${readBack}`,
    ...findings.flatMap(({ what, request }) => [
      `  ✗ ${what}`,
      ...(request ? [`    ${JSON.stringify(request).slice(0, 2_000)}`] : []),
    ]),
    findings.length === 0 ? 'passed' : `FAILED: ${findings.length} findings`,
  ].join('\n');
}
