/** Where mail is handed in, as `SMTP_URL` says. */
export interface SmtpPlace {
  host: string;
  /** Undefined takes 587 for smtp and 465 for smtps. */
  port: number | undefined;
  /** Whether TLS is spoken from the start (smtps). */
  secure: boolean;
  login: { user: string; pass: string } | undefined;
}

/**
 * Reads `smtp://user:password@host:port` or `smtps://…`, user and password percent-encoded.
 * @throws Error that says what is wrong, without the URL: a path or options in it would be passed over in silence.
 */
export function readSmtpUrl(text: string): SmtpPlace {
  if (!URL.canParse(text)) throw new Error('must be a URL');
  const { protocol, hostname, port, username, password, pathname, search } = new URL(text);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') throw new Error('must begin with smtp:// or smtps://');
  if (hostname === '') throw new Error('must name a host');
  if ((pathname !== '' && pathname !== '/') || search !== '')
    throw new Error('must have no path and no options');
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? undefined : Number(port),
    secure: protocol === 'smtps:',
    login: username === '' ? undefined : { user: decode(username), pass: decode(password) },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must have user and password percent-encoded');
  }
}
