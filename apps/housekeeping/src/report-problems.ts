import { deriveId } from '@rewardhook/contract';
import { claimNotifications, completeNotification, skipNotifications } from '@rewardhook/database/operations';
import type { ClaimedProblem } from '@rewardhook/database/operations';
import type { Sql } from '@rewardhook/database/stages';
import type { TaskPlan } from '@rewardhook/pipeline';
import { abortAfter } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';
import { deliveryHeaders } from '@rewardhook/webhook';

/** The time limit of a call, in milliseconds; a claim lasts a little longer. */
const callTimeoutMs = 10_000;
const leaseSeconds = 30;
/** Calls at a time. */
const atOnce = 10;

const eventType = 'problem.opened';

/** Where problems are reported. The URL may be a private one, because the operator sets it. */
export interface OperatorWebhook {
  url: string;
  /** `whsec_…` */
  secret: string;
}

/**
 * Returns the task that calls the operator's URL for each problem that was opened: a POST as the webhooks of merchants, signed
 * with the operator's secret, tried up to five times. It follows no redirects. Without a URL nothing is called.
 */
export function openProblemReports(
  { database, log }: { database: Sql; log: Logger },
  webhook: OperatorWebhook | undefined,
): TaskPlan['run'] {
  if (!webhook) return () => skipNotifications(database);
  const report = async (problem: ClaimedProblem, signal: AbortSignal) => {
    const failure = await call(webhook, problem, signal);
    const again = await completeNotification(database, problem, failure === undefined);
    if (failure !== undefined)
      log.warn("the operator's URL did not accept a problem", {
        problem: problem.id,
        kind: problem.kind,
        attempt: problem.attempt,
        reason: failure,
        again,
      });
  };
  return async (signal) => {
    while (!signal.aborted) {
      const claimed = await claimNotifications(database, { limit: atOnce, leaseSeconds });
      if (claimed.length === 0) return;
      await Promise.all(claimed.map((problem) => report(problem, signal)));
    }
  };
}

/** Calls the URL. Returns why it did not accept the event; undefined when it did. */
async function call(
  { url, secret }: OperatorWebhook,
  problem: ClaimedProblem,
  signal: AbortSignal,
): Promise<string | undefined> {
  // The same at each try, so that the receiver recognizes a repetition.
  const id = deriveId('evt', problem.id, String(problem.openings));
  const body = Buffer.from(JSON.stringify(toEvent(id, problem)));
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: deliveryHeaders({
        eventType,
        deliveryId: id,
        attempt: problem.attempt,
        body,
        signing: { primary: secret, all: [secret] },
        timestampSeconds: Math.floor(Date.now() / 1_000),
      }),
      body,
      signal: abortAfter(signal, callTimeoutMs),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `status ${response.status}`;
  } catch (error) {
    // The message of fetch is always the same; its cause has the code.
    const { cause, name } = error as Error;
    return (cause as { code?: string } | undefined)?.code ?? name;
  }
}

function toEvent(id: string, problem: ClaimedProblem): object {
  const {
    attempt: _attempt,
    resolved_at: _resolved,
    mailed_to: _mailed,
    notified_at: _notified,
    ...shown
  } = problem;
  return { id, type: eventType, created_at: problem.last_seen_at, data: { problem: shown } };
}
