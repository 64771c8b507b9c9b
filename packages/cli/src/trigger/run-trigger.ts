import { buildTestEvent, eventTypes, type EventType } from '@rewardhook/contract';
import type { SentTestEvent, Webhook } from '@rewardhook/node';
import { commandErrorOf, openApi } from '../api/open-api.ts';
import { httpUrl, type Settings } from '../environment.ts';
import { exitCodes, usageError } from '../exit-codes.ts';
import { openReceiver } from '../http/post.ts';
import { describeForwarded, documentOf, forward } from '../listen/forward.ts';
import { localSigningSecret } from '../listen/signing-secret.ts';
import { printable, type Terminal } from '../output/terminal.ts';

/** What `rewardhook trigger` sends, and where. */
export type TriggerCommand = {
  type: string;
  /** Signs the event here and posts it to this URL; without it, the API sends it. */
  forwardTo: string | undefined;
  /** Only to this webhook. */
  webhook: string | undefined;
  json: boolean;
  settings: Settings;
};

/** Sends a test event of a type. Returns the exit code. */
export async function runTrigger(command: TriggerCommand, terminal: Terminal): Promise<number> {
  const { type } = command;
  if (!isEventType(type))
    throw usageError(`"${type}" is not an event type. Types: ${eventTypes.join(', ')}.`);
  return command.forwardTo === undefined
    ? triggerThroughApi(command, type, terminal)
    : triggerLocally(command, command.forwardTo, type, terminal);
}

const isEventType = (type: string): type is EventType => (eventTypes as string[]).includes(type);

async function triggerLocally(
  { settings, json }: TriggerCommand,
  forwardTo: string,
  type: EventType,
  terminal: Terminal,
): Promise<number> {
  const url = httpUrl(forwardTo, '--forward-to');
  const given = settings.signingSecret();
  const signingSecret = given ?? localSigningSecret(settings.secretKey());
  if (given === undefined)
    terminal.note(terminal.style.dim('Signed with the signing secret of `rewardhook listen`.'));
  const receiver = openReceiver(url);
  try {
    const { signal } = new AbortController();
    const result = await forward(buildTestEvent(type, new Date()), 1, { receiver, signingSecret, signal });
    if (json) terminal.json(documentOf(result));
    else terminal.out(describeForwarded(result, terminal));
    return result.ok ? exitCodes.done : exitCodes.failed;
  } finally {
    receiver.close();
  }
}

async function triggerThroughApi(
  { settings, webhook, json }: TriggerCommand,
  type: EventType,
  terminal: Terminal,
): Promise<number> {
  // One test event a second is allowed: the client waits for the next.
  const api = openApi(settings, 5);
  try {
    const webhooks: Pick<Webhook, 'id' | 'url'>[] = [];
    if (webhook !== undefined) webhooks.push(await api.webhooks.get(webhook));
    else for await (const one of api.webhooks.list()) webhooks.push(one);
    if (webhooks.length === 0)
      throw usageError(
        'There is no webhook. Register one in the console, or use --forward-to http://localhost:4000/webhooks.',
      );
    let failed = 0;
    for (const { id, url } of webhooks) {
      const result = await api.webhooks.sendTestEvent(id, { type });
      if (!result.delivered) failed += 1;
      if (json) terminal.json({ webhook_id: id, url, ...result });
      else terminal.out(describe(url, result, terminal));
    }
    return failed > 0 ? exitCodes.failed : exitCodes.done;
  } catch (error) {
    throw commandErrorOf(error);
  }
}

function describe(
  url: string,
  { event_type: type, delivered, attempt }: SentTestEvent,
  { style }: Terminal,
): string {
  const { status, duration_ms: ms, error, error_message: message, response_body: body } = attempt;
  const shown = delivered ? style.good(`✓ ${status}`) : style.bad(`✗ ${status ?? '–'}`);
  const why = delivered ? (attempt.warning ?? '') : (message ?? error ?? printable(body ?? '', 120));
  return [type, url, shown, style.dim(`${Math.round(ms ?? 0)} ms`), why].filter(Boolean).join('  ');
}
