import type { Request } from 'express';

/** How robots and the previews of messengers call themselves; a wrong guess costs a click, never a visitor. */
const robots = /bot\b|bot\/|crawl|spider|scrap|preview|facebookexternalhit|slurp|whatsapp|lighthouse/i;

/** Whether a request for a share link looks like a person who follows it. */
export function isVisit(request: Request): boolean {
  if (request.method === 'HEAD') return false;
  // Browsers say so when they fetch a link that nobody has followed yet.
  const purpose = request.get('sec-purpose') ?? request.get('purpose') ?? '';
  if (/prefetch|prerender/i.test(purpose)) return false;
  return !robots.test(request.get('user-agent') ?? '');
}
