import { writeFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDatabaseUrl } from './database-url.ts';

const folder = mkdtempSync(join(tmpdir(), 'rewardhook-database-url-'));
const ca = join(folder, 'ca.pem');
beforeAll(() => writeFileSync(ca, 'certificate'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('The URL of PostgreSQL', () => {
  it.each([
    'postgresql://localhost/shop',
    'postgres://app:p%40ss@[::1]:5433/shop?application_name=x',
    'postgresql://app@/shop?host=/var/run/postgresql',
    'postgresql://app:secret@%2Fvar%2Frun%2Fpostgresql/shop',
    'postgresql:///shop?host=/cloudsql/project:region:instance&user=app',
  ])('is left as it is without TLS: %s', (url) => {
    expect(readDatabaseUrl(url).url).toBe(url);
  });

  it('names user and password, percent-decoded', () => {
    expect(readDatabaseUrl('postgresql://my%20app:p%40ss:w%3Frd@host/db')).toMatchObject({
      user: 'my app',
      password: 'p@ss:w?rd',
    });
    expect(readDatabaseUrl('postgresql://host/db')).toMatchObject({ user: '', password: '' });
  });

  it('makes the driver read sslmode as libpq does, and not at all for a UNIX socket', () => {
    const full = `postgresql://app@host/db?sslmode=verify-full&sslrootcert=${ca}`;
    expect(readDatabaseUrl(full).url).toBe(`${full}&uselibpqcompat=true`);
    const required = 'postgresql://app@host/db?sslmode=require&channel_binding=require';
    expect(readDatabaseUrl(required).url).toBe(`${required}&uselibpqcompat=true`);
    const socket = 'postgresql://app@/db?host=/tmp&sslmode=require';
    expect(readDatabaseUrl(socket).url).toBe(`${socket}&sslmode=disable`);
  });

  it.each([
    ['postgresql://app:s3cret@one:5432,two:5432/db?target_session_attrs=read-write', /more than one host/],
    ['postgresql://app:s3cret@one,two/db', /more than one host/],
    ['postgresql://app:s3cret@/db?host=one,two', /more than one host/],
    ['postgresql://app:s3cret@host/db?sslmode=prefer', /sslmode of disable, require, verify-ca, verify-full/],
    ['postgresql://app:s3cret@host/db?sslmode=verify-ca', /needs sslrootcert/],
    ['postgresql://app:s3cret@host/db?sslmode=verify-full&sslrootcert=system', /certificates of Node\.js/],
    ['postgresql://app:s3cret@host/db?sslmode=verify-full&sslrootcert=/no/file', /cannot be read \(ENOENT\)/],
    ['postgresql://app:s3cret@:5433/db?host=/tmp', /\?port=5432/],
    ['postgresql://app:s3cret#1@host/db', /percent-encoded/],
    ['postgresql://app:100%s3cret@host/db', /percent-encoded/],
    ['mysql://app:s3cret@host/db', /must be postgresql:\/\//],
  ])('is refused with the reason and without the password: %s', (url, reason) => {
    let message = '';
    try {
      readDatabaseUrl(url);
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).toMatch(reason);
    expect(message).not.toContain('s3cret');
  });
});
