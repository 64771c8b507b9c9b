import type { ActEntry } from '../ledger/entries.ts';
import type { Call } from '../ledger/read-history.ts';
import { replayLinks } from './links.ts';

let lastId = 0;

function call(name: string, body: Record<string, string>, fields: Partial<Call> = {}): Call {
  lastId += 1;
  return {
    id: lastId,
    shop: 'shop',
    call: name,
    api: 0,
    method: 'POST',
    path: '/',
    body,
    sentAt: lastId * 10,
    endedAt: lastId * 10 + 5,
    outcome: 'ok',
    ...fields,
  };
}

const link = (referee: string, referrer: string, fields?: Partial<Call>) =>
  call('link', { referee_member_id: referee, referrer_member_id: referrer }, fields);
const move = (referee: string, referrer: string, fields?: Partial<Call>) =>
  call('move-link', { referee_member_id: referee, referrer_member_id: referrer }, fields);
const merge = (from: string, into: string, fields?: Partial<Call>) =>
  call('merge', { from_member_id: from, into_member_id: into }, fields);

const replay = (calls: Call[], acts: ActEntry[] = []) => {
  const { referrers, uncertain } = replayLinks({ calls, acts }) ?? {};
  return { referrers: Object.fromEntries(referrers ?? []), uncertain: [...(uncertain ?? [])] };
};

describe('The links of a shop, replayed', () => {
  it('are those of the first link of each referee, and of the last move', () => {
    const calls = [
      link('bob', 'ann'),
      link('eve', 'ann'),
      link('bob', 'cy', { outcome: 'refused' }),
      move('eve', 'cy'),
    ];
    expect(replay(calls)).toEqual({ referrers: { bob: 'ann', eve: 'cy' }, uncertain: [] });
  });

  it('follow a merge, whichever member was linked, and later calls by the former id', () => {
    const calls = [link('old', 'ann'), link('bob', 'old'), merge('old', 'new'), link('eve', 'old')];
    expect(replay(calls)).toEqual({ referrers: { new: 'ann', bob: 'new', eve: 'new' }, uncertain: [] });
  });

  it('are uncertain when two acts about a referee met, or had no answer, or two referrals became one', () => {
    const moves = [
      link('bob', 'ann'),
      move('bob', 'cy', { endedAt: 1e6 }),
      move('bob', 'di', { endedAt: 1e6 }),
    ];
    expect(replay(moves).uncertain).toEqual(['bob']);
    expect(replay([link('bob', 'ann', { outcome: 'unknown' })]).uncertain).toEqual(['bob']);
    expect(replay([link('a', 'ann'), link('b', 'cy'), merge('a', 'b')]).uncertain).toEqual(['b']);
  });

  it('count a call that was repeated after an unknown outcome once', () => {
    const calls = [
      move('bob', 'ann', { outcome: 'unknown', idempotencyKey: 'k' }),
      move('bob', 'ann', { idempotencyKey: 'k' }),
    ];
    expect(replay(calls)).toEqual({ referrers: { bob: 'ann' }, uncertain: [] });
  });

  it('of an erased member end, and those of a new member with the id begin', () => {
    const before = [link('bob', 'ann'), link('eve', 'bob')];
    const at = lastId * 10 + 7;
    const erasure: ActEntry = {
      kind: 'act',
      at,
      until: at + 1,
      shop: 'shop',
      act: 'erase',
      details: { ids: ['bob'], done: true },
    };
    expect(replay([...before, link('bob', 'cy')], [erasure])).toEqual({
      referrers: { bob: 'cy' },
      uncertain: [],
    });
  });
});
