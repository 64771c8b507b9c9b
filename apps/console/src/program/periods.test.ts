import { ConsoleError } from '../http/console-error.ts';
import { addDays, daysOf, isDay } from './periods.ts';

const shown = ({ days, before }: ReturnType<typeof daysOf>) => [
  `${days.from} ${days.until}`,
  `${before.from} ${before.until}`,
];

describe('The days of a period and of the one before it', () => {
  it.each([
    ['today', '2026-11-29 2026-11-30', '2026-11-28 2026-11-29'],
    ['seven_days', '2026-11-23 2026-11-30', '2026-11-16 2026-11-23'],
    ['thirty_days', '2026-10-31 2026-11-30', '2026-10-01 2026-10-31'],
    ['this_month', '2026-11-01 2026-11-30', '2026-10-01 2026-10-30'],
    ['last_month', '2026-10-01 2026-11-01', '2026-09-01 2026-10-01'],
    ['this_year', '2026-01-01 2026-11-30', '2025-01-01 2025-11-30'],
  ] as const)('Of %s they end today', (period, days, before) => {
    expect(shown(daysOf({ period }, '2026-11-29'))).toEqual([days, before]);
  });

  it('A month is compared with all days of a shorter one', () => {
    expect(shown(daysOf({ period: 'this_month' }, '2026-03-31'))).toEqual([
      '2026-03-01 2026-04-01',
      '2026-02-01 2026-03-01',
    ]);
    expect(shown(daysOf({ period: 'this_year' }, '2028-12-31'))).toEqual([
      '2028-01-01 2029-01-01',
      '2027-01-01 2028-01-01',
    ]);
  });

  it('A range is compared with as many days before it', () => {
    expect(shown(daysOf({ from: '2026-02-27', to: '2026-03-01' }, '2026-11-29'))).toEqual([
      '2026-02-27 2026-03-02',
      '2026-02-24 2026-02-27',
    ]);
    expect(daysOf({ from: '2026-01-01', to: addDays('2026-01-01', 365) }, '2026-11-29').days.until).toBe(
      '2027-01-02',
    );
  });

  it.each([
    [{ from: '2026-01-01', to: '2027-01-02' }, { to: 'too_many_days' }],
    [{ from: '2026-01-02', to: '2026-01-01' }, { to: 'not_before' }],
    [{ from: '2026-01-02' }, { to: 'required' }],
    [{ to: '2026-01-02' }, { from: 'required' }],
  ])('The range %j is refused', (filter, codes) => {
    let refused: unknown;
    try {
      daysOf(filter, '2026-11-29');
    } catch (error) {
      refused = error;
    }
    const { fields } = refused as ConsoleError;
    expect(refused).toBeInstanceOf(ConsoleError);
    expect(Object.entries(fields ?? {}).map(([path, { code }]) => [path, code])).toEqual(
      Object.entries(codes),
    );
  });

  it('A day is one of the calendar', () => {
    expect(['2028-02-29', '2026-12-31'].every(isDay)).toBe(true);
    expect(['2026-02-29', '2026-2-1', '9999-12-31', '2026-01-01T00:00:00Z', ''].some(isDay)).toBe(false);
  });
});
