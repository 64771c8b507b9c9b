import { redactText, redactUrl } from '@rewardhook/contract';
import type { ClaimedDigest, DigestNotice } from '@rewardhook/database/operations';
import { oneLine, writeSections } from '@rewardhook/mail';
import type { MailSection, MailText } from '@rewardhook/mail';
import { withoutTrailingSlashes } from '@rewardhook/process';
import { english, korean } from './digest-texts.ts';
import type { DigestTexts } from './digest-texts.ts';

/** Notices that a mail describes; it gives the number of the others. */
const maxDescribed = 20;

/**
 * Writes the digest of a merchant's notices, in Korean and then in English. The subject contains no text of the
 * merchant's own. Without `consoleUrl` there are no links.
 */
export function writeDigest(digest: ClaimedDigest, consoleUrl: string | undefined): MailText {
  const languages = [korean, english];
  const titles = languages.map((texts) => titleOf(digest.notices, texts));
  return {
    subject: `[Rewardhook] ${titles.join(' / ')}`,
    ...writeSections(languages.map((texts) => sectionOf(digest, texts, consoleUrl))),
  };
}

function titleOf(notices: DigestNotice[], texts: DigestTexts): string {
  const [first] = notices;
  return first && notices.length === 1 ? texts[first.type].title : texts.labels.count(notices.length);
}

function sectionOf(digest: ClaimedDigest, texts: DigestTexts, consoleUrl: string | undefined): MailSection {
  const { labels } = texts;
  const { merchantName, notices, timezone } = digest;
  const described = notices.slice(0, maxDescribed);
  const more = notices.length - described.length;
  const advice = new Set(described.map(({ type }) => texts[type].advice));
  return {
    title: titleOf(notices, texts),
    blocks: [
      [[labels.shop, oneLine(merchantName, 60)]],
      ...described.flatMap((notice) => noticeBlocks(notice, timezone, texts, consoleUrl)),
      ...(more > 0 ? [labels.more(more)] : []),
      ...advice,
      labels.nothingLost,
    ],
  };
}

function noticeBlocks(
  { type, endpointId, data }: DigestNotice,
  timezone: string,
  texts: DigestTexts,
  consoleUrl: string | undefined,
): MailSection['blocks'] {
  const { labels } = texts;
  const { summary, disabledAt } = texts[type];
  const { url } = data.endpoint;
  const time = (iso: string) => formatTime(iso, timezone);
  const table: [string, string][] = [
    [labels.webhook, `${redactUrl(url).address} (${oneLine(endpointId, 60)})`],
    [labels.failingSince, time(data.failing_since)],
    [labels.failuresInARow, String(data.failures_in_a_row)],
    [labels.reason, oneLine(redactText(url, data.reason), 300)],
    [disabledAt, time(data.disabled_at)],
  ];
  if (consoleUrl === undefined) return [summary, table];
  const page = `${withoutTrailingSlashes(consoleUrl)}/webhooks/${encodeURIComponent(endpointId)}`;
  return [summary, table, { link: page, label: labels.console }];
}

/** `2026-11-21 12:52 Asia/Seoul` */
export function formatTime(iso: string, zone: string): string {
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
