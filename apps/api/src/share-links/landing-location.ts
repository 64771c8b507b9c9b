/**
 * The landing URL with more parameters at the end of its query. What it says already, a fragment included, stays
 * as it is.
 */
export function landingLocation(landingUrl: string, parameters: Record<string, string>): string {
  const url = new URL(landingUrl);
  const added = new URLSearchParams(parameters).toString();
  url.search = url.search === '' ? added : `${url.search}&${added}`;
  return url.href;
}
