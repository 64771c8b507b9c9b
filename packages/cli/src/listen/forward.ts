import { createHash } from 'node:crypto';
import type { Answer } from '@rewardhook/certify';
import { deliveryHeaders } from '@rewardhook/webhook';
import type { Receiver } from '../http/post.ts';
import { printable, type Terminal } from '../output/terminal.ts';

/** An event of the feed, or a test event. */
export type ForwardedEvent = { id: string; type: string };

/** One POST of an event to the receiver. */
export type Forwarded = { event: ForwardedEvent; attempt: number; at: Date; answer: Answer; ok: boolean };

/** Signs an event as the service does, and posts it. */
export async function forward(
  event: ForwardedEvent,
  attempt: number,
  {
    receiver,
    signingSecret: secret,
    signal,
  }: { receiver: Receiver; signingSecret: string; signal: AbortSignal },
): Promise<Forwarded> {
  // The bodies of the feed are those of webhooks: JSON.stringify writes what JSON.stringify wrote.
  const body = Buffer.from(JSON.stringify(event));
  const at = new Date();
  const headers = deliveryHeaders({
    eventType: event.type,
    deliveryId: deliveryIdOf(event.id),
    attempt,
    body,
    signing: { primary: secret, all: [secret] },
    timestampSeconds: Math.floor(at.getTime() / 1_000),
  });
  const answer = await receiver.send({ headers, body }, signal);
  const ok = answer.result === 'response' && answer.status >= 200 && answer.status < 300;
  return { event, attempt, at, answer, ok };
}

/** A UUID (version 8) that is the same whenever the event is forwarded, as the delivery id of a webhook is. */
function deliveryIdOf(eventId: string): string {
  const hex = createHash('sha256').update(`rewardhook listen ${eventId}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** One line about a POST: time, type, id, status, duration, and why it failed. */
export function describeForwarded(
  { event, attempt, at, answer, ok }: Forwarded,
  { style }: Terminal,
): string {
  const status = answer.result === 'response' ? answer.status : '–';
  const shown = ok ? style.good(`✓ ${status}`) : style.bad(`✗ ${status}`);
  const again = attempt > 1 ? style.dim(`  attempt ${attempt}`) : '';
  const ms = `${Math.round(answer.timings.totalMs)} ms`;
  const words = [timeOf(at), event.type.padEnd(13), event.id, shown, style.dim(ms.padStart(6))];
  return `${words.join('  ')}${again}${ok ? '' : `  ${whyOf(answer)}`}`;
}

/** The same as a JSON document of one line. */
export function documentOf({ event, attempt, at, answer, ok }: Forwarded): object {
  return {
    at: at.toISOString(),
    type: event.type,
    id: event.id,
    attempt,
    ok,
    status: answer.result === 'response' ? answer.status : null,
    ms: Math.round(answer.timings.totalMs),
    ...(ok ? {} : { why: whyOf(answer) }),
  };
}

/** Why an answer is no success, in a few words. */
function whyOf(answer: Answer): string {
  if (answer.result === 'error') return answer.message;
  const { status, responseHeaders, responseBody } = answer;
  if (status >= 300 && status < 400)
    return `a redirect to ${printable(responseHeaders['location'] ?? '?')}: not followed`;
  const text = printable(responseBody, 120);
  if (text !== '') return text;
  if (status === 404) return 'no handler at this path';
  if (status === 410) return 'the service would disable this webhook';
  return status >= 500 ? 'see the log of the receiver' : 'refused without a reason';
}

const timeOf = (at: Date): string => at.toTimeString().slice(0, 8);
