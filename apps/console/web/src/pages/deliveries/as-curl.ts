/** curl works these out by itself. */
const own = new Set(['content-length', 'host', 'connection', 'transfer-encoding']);

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A request as a curl command that sends the same bytes. */
export function asCurl(url: string, headers: Record<string, string>, body: string): string {
  const lines = Object.entries(headers)
    .filter(([name]) => !own.has(name.toLowerCase()))
    .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [`curl -X POST ${quoted(url)}`, ...lines, `--data-binary ${quoted(body)}`].join(' \\\n  ');
}
