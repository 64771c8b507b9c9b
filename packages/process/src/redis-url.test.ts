import { parseRedisUrl } from './redis-url.ts';

describe('The URL of Redis', () => {
  it.each([
    ['redis://localhost', { kind: 'server', nodes: [{ host: 'localhost', port: 6379 }], tls: false }],
    [
      'rediss://:p%40ss@[::1]:7/2',
      { tls: true, password: 'p@ss', database: 2, nodes: [{ host: '::1', port: 7 }] },
    ],
    ['redis://app:secret@cache', { username: 'app', password: 'secret' }],
    [
      'rediss-cluster://app:secret@one:7001,two',
      {
        kind: 'cluster',
        tls: true,
        nodes: [
          { host: 'one', port: 7001 },
          { host: 'two', port: 6379 },
        ],
      },
    ],
    [
      'redis-sentinel://app:secret@one,two:5/mymaster?sentinelPassword=s%26t&db=1',
      {
        ...{
          kind: 'sentinel',
          masterName: 'mymaster',
          sentinelPassword: 's&t',
          database: 1,
          password: 'secret',
        },
        nodes: [
          { host: 'one', port: 26379 },
          { host: 'two', port: 5 },
        ],
      },
    ],
  ])('%s is read', (url, expected) => {
    expect(parseRedisUrl(url)).toMatchObject(expected);
  });

  it.each([
    'http://localhost',
    'redis://',
    'redis://one,two',
    'redis://host/name',
    'redis://host:70000',
    'redis-cluster://host/1',
    'redis-sentinel://host',
    'redis://user:%@host',
  ])('%s is refused without naming it', (url) => {
    expect(() => parseRedisUrl(url)).toThrow(/^must /);
  });
});
