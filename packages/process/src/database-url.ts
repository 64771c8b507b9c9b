import { accessSync, constants } from 'node:fs';

/** A URL of PostgreSQL, as the driver must get it. */
export interface DatabaseAddress {
  /** The same URL, with what makes the driver read `sslmode` as libpq does. */
  url: string;
  user: string;
  password: string;
}

const pattern = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;

/** Values of `sslmode`. Those that try without TLS when it fails, or first, are none of them: the driver tries once. */
const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'];

/**
 * Reads a URL of PostgreSQL: `postgresql://[user[:password]@]host[:port]/database[?…]`, or with the folder of a UNIX socket as
 * `?host=/folder` or as a percent-encoded host. `sslmode`, `sslrootcert`, `sslcert` and `sslkey` mean what they mean for libpq
 * and psql; without `sslmode` there is no TLS.
 * @throws Error that names what is wrong, without the URL
 */
export function readDatabaseUrl(text: string): DatabaseAddress {
  const [, login = '', hosts = '', , query = ''] =
    pattern.exec(text) ??
    fail('must be postgresql://user:password@host/database, with user and password percent-encoded');
  const parameters = new URLSearchParams(query);
  const host = parameters.get('host') ?? decode(hosts);
  if (host.includes(','))
    fail(
      'names more than one host, of which the driver cannot choose: name one, such as that of a proxy, or a DNS name that follows the primary',
    );
  // The driver reads the URL like this. It puts a name in the place of an empty host.
  if (!URL.canParse(text) && !URL.canParse(text.replace('@/', '@socket/')))
    fail('is not a URL. The port of a UNIX socket is written as ?port=5432');
  const [user = '', password = ''] = login.split(/:(.*)/s).map(decode);
  return { url: withTls(text, parameters, host), user, password };
}

function withTls(text: string, parameters: URLSearchParams, host: string): string {
  const mode = parameters.get('sslmode');
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = parameters.get(name);
    if (path === 'system')
      fail(`${name}=system is not needed: without ${name} the certificates of Node.js are used`);
    if (path !== null) requireReadable(name, path);
  }
  if (mode === null) return text;
  if (!tlsModes.includes(mode))
    fail(`must have an sslmode of ${tlsModes.join(', ')}: the driver does not try a second time without TLS`);
  if (mode === 'verify-ca' && !parameters.has('sslrootcert'))
    fail('needs sslrootcert for sslmode=verify-ca, or sslmode=verify-full');
  // libpq ignores the mode for UNIX sockets. Of two values the driver takes the second.
  const added = host.startsWith('/') ? 'sslmode=disable' : 'uselibpqcompat=true';
  return parameters.has('uselibpqcompat') ? text : `${text}&${added}`;
}

function requireReadable(name: string, path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    fail(
      `names a file in ${name} that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail('must have user and password percent-encoded');
  }
}

function fail(problem: string): never {
  throw new Error(problem);
}
