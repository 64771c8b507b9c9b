import { checkUrl } from './check-url.ts';

/** A URL as it is stored, or why it may not be used: the end of a sentence that begins with what it is. */
export type LinkingCheck = { ok: true; value: string } | { ok: false; reason: string };

/** Judges where share links lead to. A fragment is fine. `allowLoopbackHttp` as in {@link checkUrl}. */
export function checkLandingUrl(text: string, options: { allowLoopbackHttp: boolean }): LinkingCheck {
  const [withoutFragment = ''] = text.split('#', 1);
  const checked = checkUrl(withoutFragment, options);
  return checked.ok ? { ok: true, value: new URL(text).href } : checked;
}

/** Judges an origin that browsers may call from; its value is as browsers send it in `Origin`. */
export function checkOrigin(text: string, options: { allowLoopbackHttp: boolean }): LinkingCheck {
  if (text.includes('*'))
    return { ok: false, reason: 'is not an origin: there are no wildcards, name each origin' };
  const checked = checkUrl(text, options);
  if (!checked.ok) return checked;
  const { origin, pathname, search } = checked.url;
  if (pathname !== '/' || search !== '')
    return { ok: false, reason: `is not an origin: write ${origin}, without a path` };
  return { ok: true, value: origin };
}
