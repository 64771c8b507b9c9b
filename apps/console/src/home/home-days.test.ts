import { homeDays } from './home-days.ts';

const at = (time: string) => Date.parse(time);

describe('The days of Home', () => {
  it('end with today in the time zone of the shop, and are beside as many days before', () => {
    const now = at('2026-11-29T15:30:00Z');
    expect(homeDays('week', 'Asia/Seoul', now)).toEqual({
      days: { from: '2026-11-24', until: '2026-12-01' },
      before: { from: '2026-11-17', until: '2026-11-24' },
    });
    expect(homeDays('days30', 'UTC', now)).toEqual({
      days: { from: '2026-10-31', until: '2026-11-30' },
      before: { from: '2026-10-01', until: '2026-10-31' },
    });
  });

  it.each([
    ['2026-11-10T12:00:00Z', '2026-11-01', '2026-11-11', '2026-10-01', '2026-10-11'],
    ['2026-01-31T12:00:00Z', '2026-01-01', '2026-02-01', '2025-12-01', '2026-01-01'],
    ['2026-03-30T12:00:00Z', '2026-03-01', '2026-03-31', '2026-02-01', '2026-03-01'],
  ])('of the month at %s are beside the same days of the month before', (now, from, until, ...before) => {
    expect(homeDays('month', 'UTC', at(now))).toEqual({
      days: { from, until },
      before: { from: before[0], until: before[1] },
    });
  });
});
