/** Headers that curl sets itself. */
const ownHeaders = new Set(['content-length', 'host', 'connection', 'transfer-encoding']);

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A request as a curl command that sends the same bytes. */
export function asCurl(url: string, headers: Record<string, string>, body: string): string {
  const lines = Object.entries(headers)
    .filter(([name]) => !ownHeaders.has(name.toLowerCase()))
    .map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  return [`curl -X POST ${quote(url)}`, ...lines, `--data-binary ${quote(body)}`].join(' \\\n  ');
}
