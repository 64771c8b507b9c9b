import { certify, checks, type CertifyReport, type CheckId } from '@rewardhook/certify';
import { deliveryHeaders } from '@rewardhook/webhook';
import { exitCodes, usageError } from '../exit-codes.ts';
import { httpUrl } from '../environment.ts';
import { openReceiver, senderOf } from '../http/post.ts';
import type { Terminal } from '../output/terminal.ts';
import { openGrantCount } from './count-grants.ts';
import { printReport } from './print-report.ts';

/** What `rewardhook certify` checks, and how it writes. */
export type CertifyCommand = {
  url: string;
  signingSecret: string | undefined;
  asLive: boolean;
  memberId: string | undefined;
  grantsUrl: string | undefined;
  failOnWarning: boolean;
  json: boolean;
};

/** Certifies a receiver and writes the report. Returns the exit code. */
export async function runCertify(command: CertifyCommand, terminal: Terminal): Promise<number> {
  const { signingSecret: secret, json, asLive } = command;
  if (secret === undefined)
    throw usageError(
      'The signing secret of the receiver is not set: use --signing-secret whsec_… or REWARDHOOK_SIGNING_SECRET.',
    );
  const url = httpUrl(command.url, 'URL');
  const grantsUrl = command.grantsUrl && httpUrl(command.grantsUrl, '--grants-url') && command.grantsUrl;
  if (!json) {
    terminal.out(`Certifying ${url.href}`);
    terminal.out(
      terminal.style.dim(
        asLive
          ? 'Events are not marked as tests: the receiver grants one point several times, and gets a reward.revoke for each at the end.'
          : 'Events are marked as tests ("test": true).',
      ),
    );
  }
  const receiver = openReceiver(url);
  let report: CertifyReport;
  try {
    report = await certify({
      url: url.href,
      send: senderOf(receiver),
      sign: deliveryHeaders,
      signing: { primary: secret, all: [secret] },
      asLive,
      ...(command.memberId !== undefined && { memberId: command.memberId }),
      countGrants: grantsUrl ? openGrantCount(grantsUrl) : undefined,
      onCheck: ({ check }, number, total) =>
        terminal.progress(number === total ? '' : `${number}/${total} ${checks[check as CheckId].title}`),
    });
  } finally {
    receiver.close();
  }
  if (json) terminal.json(report, 2);
  else printReport(report, terminal);
  if (report.checks[0]?.finding.code === 'no_connection') return exitCodes.unavailable;
  const { outcome, counts } = report;
  if (outcome === 'failed' || (command.failOnWarning && counts.warning > 0)) return exitCodes.failed;
  return outcome === 'not_observed' ? exitCodes.notObserved : exitCodes.done;
}
