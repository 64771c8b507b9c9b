import type { ClaimedDigest, DigestNotice } from '@rewardhook/database';
import { oneLine, writeSections } from '@rewardhook/mail';
import type { MailSection, MailText } from '@rewardhook/mail';
import { lineAbout, redactUrl } from './redact-url.ts';
import { english, korean } from './stage-words.ts';

/** Most notices that a mail describes; of more it says how many there are. */
const mostDescribed = 20;

/**
 * Writes the digest of a merchant's notices, in Korean and below that in English. Nothing in the subject is the
 * merchant's own text. Without a console there are no links.
 */
export function writeDigest(digest: ClaimedDigest, consoleUrl: string | undefined): MailText {
  const titles = [korean, english].map((words) => titleOf(digest.notices, words));
  return {
    subject: `[Rewardhook] ${titles.join(' / ')}`,
    ...writeSections([korean, english].map((words) => section(digest, words, consoleUrl))),
  };
}

type Words = typeof english;

function titleOf(notices: DigestNotice[], { labels, ...stages }: Words): string {
  const [first] = notices;
  return first && notices.length === 1 ? stages[first.type].title : labels.count(notices.length);
}

function section(digest: ClaimedDigest, words: Words, consoleUrl: string | undefined): MailSection {
  const { labels } = words;
  const { merchantName, notices, timezone } = digest;
  const described = notices.slice(0, mostDescribed);
  const more = notices.length - described.length;
  const advice = new Set(described.map(({ type }) => words[type].advice));
  return {
    title: titleOf(notices, words),
    parts: [
      [[labels.merchant, oneLine(merchantName, 60)]],
      ...described.flatMap((notice) => partsOf(notice, timezone, words, consoleUrl)),
      ...(more > 0 ? [labels.more(more)] : []),
      ...advice,
      labels.nothingLost,
    ],
  };
}

function partsOf(
  { type, endpointId, data }: DigestNotice,
  timezone: string,
  words: Words,
  consoleUrl: string | undefined,
): MailSection['parts'] {
  const { labels } = words;
  const { summary, disabledAt } = words[type];
  const time = (iso: string) => formatTime(iso, timezone);
  return [
    summary,
    [
      [labels.webhook, `${redactUrl(data.endpoint.url).address} (${oneLine(endpointId, 60)})`],
      [labels.failingSince, time(data.failing_since)],
      [labels.failuresInARow, String(data.failures_in_a_row)],
      [labels.reason, lineAbout(data.endpoint.url, data.reason)],
      [disabledAt, time(data.disabled_at)],
    ],
    ...(consoleUrl
      ? [
          {
            link: `${consoleUrl.replace(/(?<!\/)\/+$/, '')}/webhooks/${encodeURIComponent(endpointId)}`,
            label: labels.console,
          },
        ]
      : []),
  ];
}

/** `2026-11-21 12:52 Asia/Seoul` */
function formatTime(iso: string, zone: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '-';
  const timeZone = isZone(zone) ? zone : 'UTC';
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return `${format.format(time)} ${timeZone}`;
}

function isZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('sv-SE', { timeZone: name }));
  } catch {
    return false;
  }
}
