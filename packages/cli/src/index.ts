import { certify as run, type CertifyReport } from '@rewardhook/certify';
import { deliveryHeaders } from '@rewardhook/webhook';
import { openGrantCount } from './certify/count-grants.ts';
import { httpUrl } from './environment.ts';
import { openReceiver, senderOf } from './http/post.ts';

export type {
  CertifyReport,
  CheckResult,
  CheckStatus,
  Finding,
  GrantsOfReward,
  ReportOutcome,
  Step,
} from '@rewardhook/certify';

/** What to certify, for a test of your own. */
export type CertifyReceiverOptions = {
  /** The URL of the receiver, http or https. */
  url: string;
  /** The signing secret that the receiver verifies with: `whsec_…`. */
  signingSecret: string;
  /** Sends events without `"test": true`, so that the receiver grants them. Default false. */
  asLive?: boolean;
  /** The member of the events. Default `certify-member`. */
  memberId?: string;
  /** A URL that answers with the number of grants of a reward; see the README. */
  grantsUrl?: string;
};

/**
 * Sends the receiver the webhooks of `rewardhook certify`, and reports what it did. Takes some five seconds.
 *
 * @throws TypeError when the signing secret is not `whsec_` and base64 of at least 24 bytes; Error when a URL is not one
 */
export async function certify(options: CertifyReceiverOptions): Promise<CertifyReport> {
  const { signingSecret: secret, grantsUrl, url: text, ...others } = options;
  const url = httpUrl(text, 'url');
  if (grantsUrl !== undefined) httpUrl(grantsUrl, 'grantsUrl');
  const receiver = openReceiver(url);
  try {
    return await run({
      ...others,
      url: url.href,
      send: senderOf(receiver),
      sign: deliveryHeaders,
      signing: { primary: secret, all: [secret] },
      ...(grantsUrl !== undefined && { countGrants: openGrantCount(grantsUrl) }),
    });
  } finally {
    receiver.close();
  }
}
