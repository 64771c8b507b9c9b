import {
  checkGroups,
  checks,
  describeFinding,
  fixOf,
  unseen,
  type CheckId,
  type CheckResult,
  type CertifyReport,
  type CheckStatus,
  type Unseen,
} from '@rewardhook/certify';
import { printable, wrap, type Style, type Terminal } from '../output/terminal.ts';

const marks: Record<CheckStatus, [mark: string, style: keyof Style]> = {
  passed: ['✓', 'good'],
  warning: ['!', 'warn'],
  failed: ['✗', 'bad'],
  not_run: ['–', 'dim'],
};

/** Where the texts begin: behind six spaces and the widest name. */
const indent = 18;

/** Writes a report for people: what passed in one line each, and for the rest what to do. */
export function printReport(report: CertifyReport, terminal: Terminal): void {
  const { out, style } = terminal;
  for (const [group, title] of Object.entries(checkGroups)) {
    const results = report.checks.filter(
      ({ check, status }) => checks[check as CheckId].group === group && status !== 'not_run',
    );
    if (results.length === 0) continue;
    out(`\n${style.bold(title)}`);
    for (const result of results) printResult(result, terminal);
  }
  printNotRun(report, terminal);
  out('');
  printSummary(report, terminal);
}

function printResult(result: CheckResult, { out, style, width }: Terminal): void {
  const [mark, colour] = marks[result.status];
  const { title, sent, expected } = checks[result.check as CheckId];
  const paint = style[colour];
  if (result.status === 'passed') {
    const ms = Math.max(...result.steps.map((step) => step.ms));
    const statuses = [...new Set(result.steps.map(({ status }) => status ?? '–'))].join(', ');
    out(`  ${paint(mark)} ${title.padEnd(58)} ${style.dim(`${statuses}  ${ms} ms${grantsOf(result)}`)}`);
    return;
  }
  out(`  ${paint(mark)} ${style.bold(title)}  ${style.dim(`(${result.check})`)}`);
  const line = (name: string, text: string): void =>
    out(`      ${style.dim(name.padEnd(12))}${wrap(text, width, indent)}`);
  line('sent', sent);
  line('expected', expected);
  line('received', `${describeFinding(result.finding)}${responsesOf(result)}${grantsOf(result)}`);
  line('how to fix', fixOf(result) ?? '');
}

/** What the receiver wrote: often the reason. */
function responsesOf({ steps }: CheckResult): string {
  const text = printable(steps.findLast(({ response }) => response !== '')?.response ?? '');
  return text === '' ? '' : ` It wrote: "${text}"`;
}

const grantsOf = ({ grants }: CheckResult): string =>
  grants === null ? '' : `  granted ${grants.observed}×`;

function printNotRun({ checks: results }: CertifyReport, { out, style }: Terminal): void {
  const skipped = results.filter(({ status }) => status === 'not_run');
  const [first] = skipped;
  if (!first) return;
  const count = skipped.length === 1 ? '1 check' : `${skipped.length} checks`;
  out(`\n  ${style.dim(`– ${count} not run`)}: ${describeFinding(first.finding).replace(/^Not run: /, '')}`);
}

function printSummary(report: CertifyReport, { out, style, width }: Terminal): void {
  const { counts, duration_ms: ms } = report;
  const parts = [
    counts.failed > 0 && style.bad(`${counts.failed} failed`),
    counts.warning > 0 && style.warn(`${counts.warning} with a warning`),
    counts.not_run > 0 && `${counts.not_run} not run`,
    style.good(`${counts.passed} passed`),
  ].filter(Boolean);
  const result = {
    passed: style.good('CERTIFIED'),
    warnings: style.warn('PASSED WITH WARNINGS'),
    not_observed: style.warn('NOTHING FAILED, BUT NOT ALL WAS OBSERVED'),
    failed: style.bad('FAILED'),
  };
  out(
    `${style.bold(result[report.outcome])}  ${parts.join(', ')}  ${style.dim(`${(ms / 1_000).toFixed(1)} s`)}`,
  );
  const notes = [];
  if (!report.grants_observed)
    notes.push(
      'Whether each reward is granted once was NOT observed: only the answers were. With --grants-url and --as-live, the grants themselves are counted.',
    );
  else if (report.marked_as_tests)
    notes.push(
      'The events were marked as tests, so no reward should be granted. With --as-live, grants are expected and counted.',
    );
  notes.push(
    `No run can show these: ${report.cannot_be_seen.map((code) => unseen[code as Unseen]).join(' ')}`,
  );
  for (const note of notes) out(wrap(note, width, 0));
  const first = report.checks.find(({ status }) => status === 'failed');
  if (first && counts.failed > 1)
    out(
      wrap(`Begin with the first failure (${first.check}): later ones often have the same cause.`, width, 0),
    );
}
