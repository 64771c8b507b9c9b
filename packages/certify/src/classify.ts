import type { CheckStatus, Finding, Step } from './report.ts';
import type { FindingCode } from './findings.ts';
import { slowMs, type Posted } from './post.ts';
import type { Answer } from './transport.ts';

/** Whether an answer is as it should be, and what it was. */
export type Classified = { status: CheckStatus; finding: Finding };

/** A finding with its parameters. */
export const found = (code: FindingCode, parameters: Finding['parameters'] = {}): Finding => ({
  code,
  parameters,
});

export const isSuccess = (answer: Answer): boolean =>
  answer.result === 'response' && answer.status >= 200 && answer.status < 300;

const isRefusal = (answer: Answer): boolean =>
  answer.result === 'response' && answer.status >= 400 && answer.status < 500;

/** Why a genuine request was not accepted. */
function problemOf(answer: Answer): Finding {
  if (answer.result === 'error') {
    const { errorClass, message } = answer;
    if (errorClass === 'timeout') return found('timed_out');
    if (errorClass === 'blocked') return found('blocked', { message });
    return found(['dns', 'connect', 'tls'].includes(errorClass) ? 'no_connection' : 'broke_off', { message });
  }
  const { status, responseHeaders } = answer;
  if (status >= 300 && status < 400)
    return found('redirected', { status, location: responseHeaders['location'] ?? '?' });
  if (status === 404 || status === 405) return found('not_found', { status });
  if (status === 410) return found('gone');
  if (status === 429) return found('limited');
  return found(status >= 500 ? 'server_error' : 'refused', { status });
}

/** Classifies genuine requests of which each must be accepted in time. */
export function acceptedAll(posted: readonly Posted[], severity: CheckStatus = 'failed'): Classified {
  const failed = posted.find(({ answer }) => !isSuccess(answer));
  if (failed) return { status: severity, finding: problemOf(failed.answer) };
  const { status, ms } = slowest(posted);
  if (ms > slowMs) return { status: 'warning', finding: found('slow', { status, ms }) };
  return { status: 'passed', finding: found('as_expected', { status, ms }) };
}

/** Classifies a forged request, which must be refused with 4xx. */
export function refused({ answer, step }: Posted, severity: CheckStatus = 'failed'): Classified {
  const { ms } = step;
  if (answer.result === 'error') {
    const { message } = answer;
    return { status: 'warning', finding: found('forgery_unanswered', { message }) };
  }
  const { status } = answer;
  if (isSuccess(answer)) return { status: severity, finding: found('forgery_accepted', { status }) };
  if (!isRefusal(answer)) return { status: 'warning', finding: found('forgery_crashed', { status }) };
  return { status: 'passed', finding: found('as_expected', { status, ms }) };
}

/** Classifies forged requests of which each must be refused: the worst of them counts. */
export function refusedAll(posted: readonly Posted[], severity?: CheckStatus): Classified {
  const classified = posted.map((one) => refused(one, severity));
  const worst = (['failed', 'warning'] as const)
    .map((status) => classified.find((one) => one.status === status))
    .find((one) => one !== undefined);
  return worst ?? { status: 'passed', finding: found('as_expected', slowest(posted)) };
}

/** The statuses and the longest time of answers: `204`, or `204, 400`. */
export function slowest(posted: readonly Posted[]): { status: string; ms: number } {
  const statuses = new Set(posted.map(({ step }) => step.status ?? '–'));
  return { status: [...statuses].join(', '), ms: Math.max(...posted.map(({ step }) => step.ms)) };
}

/** The steps of requests. */
export const stepsOf = (posted: readonly Posted[]): Step[] => posted.map(({ step }) => step);
