/**
 * Reads headers as people paste them: lines of `Name: value`, also as curl (`< name: value`) and JSON (`"name":
 * "value",`) print them; or a bare signature. Names in lower case.
 */
export function readHeaders(pasted: string): Map<string, string> {
  const headers = new Map<string, string>();
  const bare = pasted.trim();
  if (/^sha256=\S*$/.test(bare)) return headers.set('x-service-signature', bare);
  for (const line of pasted.split(/\r?\n/)) {
    const [, name, value] = /^[\s<>{"']*([\w-]+)["']?\s*:\s*["']?(.*?)["']?,?\s*}?\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers.set(name.toLowerCase(), value);
  }
  return headers;
}
