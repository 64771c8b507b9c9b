/** Headers that frame the message or steer the connection: they are the client's alone. */
const ownedByClient =
  /^(host|connection|content-length|expect|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;
const token = /^[\w!#$%&'*+.^`|~-]+$/;
const unsafeInValue = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * The first header of `headers` that cannot be sent, or undefined. Checked before undici sees them: it
 * refuses them too, but only after it has set a client aside, which is then never used again.
 */
export function unsendableHeader(headers: Readonly<Record<string, string>>): string | undefined {
  for (const name in headers) {
    if (!token.test(name) || ownedByClient.test(name) || unsafeInValue.test(headers[name] ?? '')) return name;
  }
  return undefined;
}
