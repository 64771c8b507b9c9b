import { groupTimeline, withContext } from '../web/src/rooms/customers/orders/group-timeline.ts';

const [first, second, third] = [
  '2026-11-26T20:05:00.000001Z',
  '2026-11-26T20:05:01Z',
  '2026-11-26T20:05:02Z',
];
const received = { at: first, what: 'version_received' };
const evaluated = { at: second, what: 'evaluated', reason: 'rewarded' };
const given = { at: second, what: 'reward_given', reward_id: 'rwd_1', member_id: 'bob', amount: 3_000 };
const event = { at: second, what: 'event', event_id: 'evt_1', type: 'reward.issue', reward_id: 'rwd_1' };
const delivery = { at: second, what: 'delivery', delivery_id: 'd1', event_id: 'evt_1', state: 'delivered' };
const other = { ...delivery, delivery_id: 'd2', state: 'pending' };
const attempt = (id: string) => ({ at: third, what: 'attempt', delivery_id: id, status: 200 });

describe('The timeline of an order', () => {
  it('has one group for what an evaluation wrote, and one for each delivery with its attempts', () => {
    const groups = groupTimeline([
      received,
      evaluated,
      given,
      event,
      delivery,
      other,
      attempt('d2'),
      attempt('d1'),
      attempt('d2'),
    ]);
    expect(groups).toEqual([
      { head: received, parts: [] },
      { head: evaluated, parts: [given, event] },
      { head: delivery, parts: [attempt('d1')] },
      { head: other, parts: [attempt('d2'), attempt('d2')] },
    ]);
  });

  it('keeps what another evaluation wrote, or whose delivery is not in it, as groups of their own', () => {
    const revoked = { at: third, what: 'reward_revoked', reward_id: 'rwd_1' };
    const timeline = [evaluated, given, revoked, attempt('unknown')];
    expect(groupTimeline(timeline).map(({ head }) => head)).toEqual([evaluated, revoked, attempt('unknown')]);
  });

  it('says of a reward and a delivery who gets how much', () => {
    const timeline = [given, event, delivery];
    expect(withContext(delivery, timeline)).toMatchObject({
      what: 'delivery',
      event_type: 'reward.issue',
      member_id: 'bob',
      amount: 3_000,
      state: 'delivered',
    });
    expect(withContext(received, timeline)).toEqual(received);
  });
});
