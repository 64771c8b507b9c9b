import { findAbsentProcesses, parseExpectedProcesses } from './expected-processes.ts';
import type { Heartbeat } from './heartbeats.ts';

const beat = (process: string, ageSeconds: number, ended = false) =>
  ({ process, ageSeconds, ended }) as Heartbeat;
const idle = () => false;
const absent = (
  list: string,
  heartbeats: Heartbeat[],
  lastSeen: Record<string, number>,
  waits: (process: string) => boolean = idle,
) =>
  findAbsentProcesses(
    { heartbeats, lastSeen: new Map(Object.entries(lastSeen)) },
    parseExpectedProcesses(list),
    waits,
  );

describe('parseExpectedProcesses', () => {
  it('reads names, and those that may scale to zero', () => {
    expect(parseExpectedProcesses('api, sync:0')).toEqual([
      { process: 'api', scalesToZero: false },
      { process: 'sync', scalesToZero: true },
    ]);
  });

  it.each(['apy', 'sync:1', 'api,', 'sync 0', 'constructor'])('refuses %s', (text) => {
    expect(() => parseExpectedProcesses(text)).toThrow('is not a process. The processes are api, sync,');
  });

  it('refuses a name that is listed twice', () => {
    expect(() => parseExpectedProcesses('sync,sync:0')).toThrow('sync is listed twice');
  });
});

describe('findAbsentProcesses', () => {
  it('finds an expected process that was never seen, also on a new site', () => {
    expect(absent('api,sync', [], {})).toEqual(['api', 'sync']);
    expect(absent('api,sync', [beat('api', 1)], { api: 1 })).toEqual(['sync']);
  });

  it('finds one that ended only after 60 s, which a restart does not take', () => {
    expect(absent('api', [], { api: 59 })).toEqual([]);
    expect(absent('api', [], { api: 61 })).toEqual(['api']);
  });

  it('finds one that was killed or is frozen after 60 s', () => {
    expect(absent('api', [beat('api', 30)], { api: 30 })).toEqual([]);
    expect(absent('api', [beat('api', 61)], { api: 61 })).toEqual(['api']);
  });

  it('counts a process that ended with a problem as absent', () => {
    expect(absent('api', [beat('api', 61, true)], { api: 61 })).toEqual(['api']);
  });

  it('finds one that scales to zero, and a worker that is not expected, only while its work waits', () => {
    expect(absent('sync:0', [], {})).toEqual([]);
    expect(absent('sync:0', [], {}, (process) => process === 'sync')).toEqual(['sync']);
    expect(absent('api', [beat('api', 1)], { api: 1 }, (process) => process === 'sync')).toEqual(['sync']);
  });
});
