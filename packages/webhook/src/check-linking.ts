import { checkUrl } from './check-url.ts';
import { refuseUrl } from './url-error.ts';
import type { UrlRefusal } from './url-error.ts';

/** A URL as it is stored, or why it may not be used. */
export type LinkingCheck = { ok: true; value: string } | UrlRefusal;

/** Judges where share links lead to. A fragment is fine. `allowLoopbackHttp` as in {@link checkUrl}. */
export function checkLandingUrl(text: string, options: { allowLoopbackHttp: boolean }): LinkingCheck {
  const [withoutFragment = ''] = text.split('#', 1);
  const checked = checkUrl(withoutFragment, options);
  return checked.ok ? { ok: true, value: new URL(text).href } : checked;
}

/** Judges an origin that browsers may call from; its value is as browsers send it in `Origin`. */
export function checkOrigin(text: string, options: { allowLoopbackHttp: boolean }): LinkingCheck {
  if (text.includes('*')) return refuseUrl('origin_wildcard');
  const checked = checkUrl(text, options);
  if (!checked.ok) return checked;
  const { origin, pathname, search } = checked.url;
  if (pathname !== '/' || search !== '') return refuseUrl('origin_path', { origin });
  return { ok: true, value: origin };
}
