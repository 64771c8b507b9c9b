import type { ClaimedNotice } from '@rewardhook/database';
import { oneLine } from './one-line.ts';
import { lineAbout, placeOfUrl } from './place-of-url.ts';
import { english, korean } from './stage-words.ts';

/** What a mail says. Subject: one line of text. */
export interface MailText {
  subject: string;
  text: string;
  html: string;
}

/** Writes the mail of a notice, in Korean and below that in English. Without a console there is no link. */
export function writeMail(notice: ClaimedNotice, consoleUrl: string | undefined): MailText {
  const { host, address } = placeOfUrl(notice.data.endpoint.url);
  const name = oneLine(notice.merchantName, 60);
  const reason = lineAbout(notice.data.endpoint.url, notice.data.reason);
  const link =
    consoleUrl &&
    `${consoleUrl.replace(/(?<!\/)\/+$/, '')}/webhooks/${encodeURIComponent(notice.endpointId)}`;
  const sections = [korean, english].map((language) => {
    const { title, summary, advice, disabledAt } = language[notice.type];
    const { labels } = language;
    const time = (iso: string) => formatTime(iso, notice.timezone);
    const facts: [label: string, value: string][] = [
      [labels.merchant, name],
      [labels.webhook, `${address} (${oneLine(notice.endpointId, 60)})`],
      [labels.failingSince, time(notice.data.failing_since)],
      [labels.failuresInARow, String(notice.data.failures_in_a_row)],
      [labels.reason, reason],
      [disabledAt, time(notice.data.disabled_at)],
    ];
    return { title, summary, facts, advice, nothingLost: labels.nothingLost, linkLabel: labels.console };
  });
  const titles = sections.map(({ title }) => title).join(' / ');
  return {
    subject: `[Rewardhook] ${name}: ${titles} (${host})`,
    text: sections.map((section) => asText(section, link)).join('\n\n----------\n\n') + '\n',
    html: `<!doctype html>\n<html><body>\n${sections.map((section) => asHtml(section, link)).join('\n<hr>\n')}\n</body></html>\n`,
  };
}

interface Section {
  title: string;
  summary: string;
  facts: [label: string, value: string][];
  advice: string;
  nothingLost: string;
  linkLabel: string;
}

function asText({ title, summary, facts, advice, nothingLost, linkLabel }: Section, link?: string): string {
  return [
    `${title}\n\n${summary}`,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    advice,
    ...(link ? [`${linkLabel}: ${link}`] : []),
    nothingLost,
  ].join('\n\n');
}

function asHtml({ title, summary, facts, advice, nothingLost, linkLabel }: Section, link?: string): string {
  const rows = facts.map(
    ([label, value]) => `<tr><th align="left">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return [
    `<h2>${escapeHtml(title)}</h2>`,
    `<p>${escapeHtml(summary)}</p>`,
    `<table cellpadding="4">${rows.join('')}</table>`,
    `<p>${escapeHtml(advice)}</p>`,
    ...(link ? [`<p><a href="${escapeHtml(link)}">${escapeHtml(linkLabel)}</a></p>`] : []),
    `<p>${escapeHtml(nothingLost)}</p>`,
  ].join('\n');
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
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
