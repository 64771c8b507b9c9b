import { createInterface } from 'node:readline';
import { eventTypes, type EventType } from '@rewardhook/contract';
import { commandErrorOf, openApi, type Api } from '../api/open-api.ts';
import { httpUrl, type Settings } from '../environment.ts';
import { exitCodes, usageError } from '../exit-codes.ts';
import { openReceiver } from '../http/post.ts';
import type { Terminal } from '../output/terminal.ts';
import { describeForwarded, documentOf, forward, type Forwarded, type ForwardedEvent } from './forward.ts';
import { readFeed } from './read-feed.ts';
import { localSigningSecret } from './signing-secret.ts';

/** What `rewardhook listen` forwards, and where. */
export type ListenCommand = {
  forwardTo: string;
  since: string | undefined;
  types: string;
  json: boolean;
  settings: Settings;
};

/** Most events that are kept, to send them again on request. */
const maxKept = 1_000;

/** Forwards the events of the feed until the user ends the command. Returns the exit code. */
export async function runListen(
  command: ListenCommand,
  {
    terminal,
    input,
    openSignal,
  }: { terminal: Terminal; input: NodeJS.ReadableStream; openSignal: () => AbortSignal },
): Promise<number> {
  const { settings, json } = command;
  const { out, note, style } = terminal;
  const url = httpUrl(command.forwardTo, '--forward-to');
  const since = readSince(command.since);
  const types = readTypes(command.types);
  // Interruptions are waited for without an end: see readFeed.
  const api = openApi(settings, 1);
  const given = settings.signingSecret();
  const signingSecret = given ?? localSigningSecret(settings.secretKey());
  const receiver = openReceiver(url);
  const signal = openSignal();
  const sent = new Map<string, Forwarded>();
  let forwarded = 0;

  note(`Forwarding webhooks of ${api.baseUrl} to ${url.href}`);
  if (given === undefined) {
    note('Your receiver verifies them with this signing secret, which stays the same for your key:');
    note(`\n  REWARDHOOK_SIGNING_SECRET=${signingSecret}\n`);
  } else note('They are signed with your signing secret.');
  note(
    style.dim(
      'Enter r to send the last event again, r <event id> a certain one, f all that failed. Ctrl-C ends.',
    ),
  );

  const send = async (event: ForwardedEvent): Promise<void> => {
    const attempt = (sent.get(event.id)?.attempt ?? 0) + 1;
    const result = await forward(event, attempt, { receiver, signingSecret, signal });
    if (signal.aborted) return;
    forwarded += 1;
    sent.delete(event.id);
    sent.set(event.id, result);
    const [oldest] = sent.size > maxKept ? sent.keys() : [];
    if (oldest !== undefined) sent.delete(oldest);
    if (json) terminal.json(documentOf(result));
    else out(describeForwarded(result, terminal));
  };

  const lines = createInterface({ input });
  lines.on('line', (line) => {
    const chosen = chooseEvents(line, sent);
    if (typeof chosen === 'string') return note(chosen);
    void chosen.reduce((before, { event }) => before.then(() => send(event)), Promise.resolve());
  });
  signal.addEventListener('abort', () => lines.close(), { once: true });
  try {
    const events = readFeed(api, {
      since,
      types,
      signal,
      onReady: () => {
        note(
          style.dim(`Ready. ${since ? `Events since ${since.toISOString()}` : 'New events'} are forwarded.`),
        );
        void noteMissingWebhook(api, note);
      },
      onInterrupted: (why) => note(`${style.warn('Interrupted:')} ${why}. Waiting for the API…`),
    });
    for await (const event of events) await send(event);
  } catch (error) {
    throw commandErrorOf(error);
  } finally {
    lines.close();
    receiver.close();
  }
  const failed = [...sent.values()].filter(({ ok }) => !ok).length;
  note(`\nEnded. Requests: ${forwarded}. Events whose last request failed: ${failed}.`);
  return exitCodes.done;
}

/** Says so when nobody but this command gets rewards. */
async function noteMissingWebhook(api: Api, note: (line: string) => void): Promise<void> {
  try {
    if (!(await hasWebhook(api)))
      note('No webhook is registered for reward.issue: nobody but this command gets these events.');
  } catch (error) {
    note(`Whether a webhook is registered could not be read: ${(error as Error).message}`);
  }
}

async function hasWebhook(api: Api): Promise<boolean> {
  for await (const { event_types: types } of api.webhooks.list())
    if (types.includes('reward.issue')) return true;
  return false;
}

/** The event types of a comma-separated list. @throws CommandError */
function readTypes(text: string): EventType[] {
  const types = text.split(',').map((type) => type.trim());
  const unknown = types.find((type) => !(eventTypes as string[]).includes(type));
  if (unknown !== undefined)
    throw usageError(`--types: "${unknown}" is not an event type. Types: ${eventTypes.join(', ')}.`);
  return types as EventType[];
}

function readSince(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const ago = /^(\d{1,6})([smhd])$/.exec(text);
  if (ago) {
    const unit = { s: 1, m: 60, h: 3_600, d: 86_400 }[ago[2] as 's'];
    return new Date(Date.now() - Number(ago[1]) * unit * 1_000);
  }
  const date = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(date.getTime()))
    throw usageError(
      '--since must be ISO 8601 with an offset, such as 2026-11-21T10:00:00+09:00, or a time before now, such as 10m or 2h.',
    );
  return date;
}

/** The events that a line of input asks for, oldest first, or a message. */
function chooseEvents(line: string, sent: ReadonlyMap<string, Forwarded>): Forwarded[] | string {
  const [verb = '', id] = line.trim().split(/\s+/);
  if (verb === '') return [];
  const all = [...sent.values()];
  if (verb === 'f') {
    const failed = all.filter(({ ok }) => !ok);
    return failed.length > 0 ? failed : 'No event has failed.';
  }
  if (verb !== 'r') return 'Enter r, r <event id>, or f.';
  const one = id === undefined ? all.at(-1) : sent.get(id);
  return one
    ? [one]
    : id === undefined
      ? 'No event was forwarded yet.'
      : `${id} was not forwarded by this run.`;
}
