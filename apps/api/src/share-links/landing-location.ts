/** The landing URL with parameters appended to its query. The rest, such as a fragment, is unchanged. */
export function landingLocation(landingUrl: string, parameters: Record<string, string>): string {
  const url = new URL(landingUrl);
  const added = new URLSearchParams(parameters).toString();
  url.search = url.search === '' ? added : `${url.search}&${added}`;
  return url.href;
}
