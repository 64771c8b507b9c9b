import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { DateTime, IANAZone } from 'luxon';
import { dateTimeText, mangledDateTime } from '../../testing/arbitrary-order.ts';
import { millisecondsOf, parseInstant, readDateTime, readOrderTime } from './date-time.ts';
import { localOffsetOf } from './time-zone.ts';

const seoul = localOffsetOf('Asia/Seoul');

describe('readDateTime', () => {
  it.each([
    '2026-03-01T12:30Z',
    '2026-03-01T12:30:00Z',
    '2026-03-01T12:30:59.1Z',
    '2026-03-01T12:30:59.123456+09:00',
    '2026-03-01T12:30:00+14:00',
    '2026-03-01T12:30:00-14:00',
    '2024-02-29T00:00:00Z',
    '2000-02-29T00:00:00Z',
    '1900-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59.999999Z',
    '9999-12-31T23:59:59+09:00',
  ])('%s is kept unchanged', (text) => {
    expect(readDateTime(text, undefined)).toBe(text);
  });

  it.each([
    ['2026-03-01T12:30:00.1234567Z', '2026-03-01T12:30:00.123456Z'],
    ['2026-03-01T12:30:00.999999999+09', '2026-03-01T12:30:00.999999+09:00'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('The fraction of %s is truncated to microseconds', (text, kept) => {
    expect(readDateTime(text, undefined)).toBe(kept);
  });

  it.each([
    ['2026-03-01T12:30+0900', '2026-03-01T12:30+09:00'],
    ['2026-03-01T12:30-09', '2026-03-01T12:30-09:00'],
    ['2026-03-01t12:30:00z', '2026-03-01T12:30:00Z'],
    ['2026-03-01T12:30:00,5+09:00', '2026-03-01T12:30:00.5+09:00'],
    ['20260301T1230Z', '2026-03-01T12:30Z'],
    ['20260301T123000+0900', '2026-03-01T12:30:00+09:00'],
    ['20260301t123059,123456789z', '2026-03-01T12:30:59.123456Z'],
    ['20240229T000000.5-09:30', '2024-02-29T00:00:00.5-09:30'],
  ])('%s is stored as %s', (text, stored) => {
    expect(readDateTime(text, undefined)).toBe(stored);
  });

  it.each([
    ['2026-03-01T12:30', '2026-03-01T12:30+09:00'],
    ['20260301T123015', '2026-03-01T12:30:15+09:00'],
    ['2026-03-01T12:30:15.5', '2026-03-01T12:30:15.5+09:00'],
    ['2026-03-01T12:30:15.123456789', '2026-03-01T12:30:15.123456+09:00'],
    ['1987-07-01T12:30:00', '1987-07-01T12:30:00+10:00'],
    ['1900-01-01T00:00:00', '1900-01-01T00:00:00+08:27:52'],
  ])('The offset of the time zone is appended to %s', (text, completed) => {
    expect(readDateTime(text, seoul)).toBe(completed);
  });

  it('An explicit offset is kept in every time zone', () => {
    expect(readDateTime('2026-03-01T12:30Z', seoul)).toBe('2026-03-01T12:30Z');
  });

  it.each([
    ['2026-02-29T00:00:00Z', 'date_time_nonexistent'],
    ['2100-02-29T00:00:00Z', 'date_time_nonexistent'],
    ['1900-02-29T00:00:00Z', 'date_time_nonexistent'],
    ['2026-04-31T00:00:00Z', 'date_time_nonexistent'],
    ['2026-00-10T00:00:00Z', 'date_time_nonexistent'],
    ['2026-13-10T00:00:00Z', 'date_time_nonexistent'],
    ['2026-01-00T00:00:00Z', 'date_time_nonexistent'],
    ['2026-01-32T00:00:00Z', 'date_time_nonexistent'],
    ['2026-01-01T24:00:00Z', 'date_time_end_of_day'],
    ['2026-01-01T24:00Z', 'date_time_end_of_day'],
    ['20260101T2400Z', 'date_time_end_of_day'],
    ['2026-01-01T24:00:01Z', 'date_time_nonexistent'],
    ['20260230T000000Z', 'date_time_nonexistent'],
    ['20260101T000000', 'date_time_offset_missing'],
    ['2026-01-01T23:60:00Z', 'date_time_nonexistent'],
    ['2026-01-01T23:59:60Z', 'date_time_nonexistent'],
    ['1899-12-31T23:59:59Z', 'date_time_year'],
    ['0000-01-01T00:00:00Z', 'date_time_year'],
    ['9999-12-31T23:30:00-01:00', 'date_time_year'],
    ['9999-12-31T23:59:59-00:01', 'date_time_year'],
    ['2026-01-01T00:00:00+15:00', 'date_time_offset_range'],
    ['2026-01-01T00:00:00-15:00', 'date_time_offset_range'],
    ['2026-01-01T00:00:00+14:01', 'date_time_offset_range'],
    ['2026-01-01T00:00:00-14:30', 'date_time_offset_range'],
    ['2026-01-01T00:00:00+13:60', 'date_time_offset_range'],
    ['2026-01-01T00:00:00-99', 'date_time_offset_range'],
    ['2026-01-01T00:00:00', 'date_time_offset_missing'],
    ['', 'date_time_format'],
    ['2026-01-01', 'date_time_date_only'],
    ['20260101', 'date_time_date_only'],
    ['2026-01-01 00:00:00Z', 'date_time_blank'],
    ['20260101 000000Z', 'date_time_blank'],
    ['2026-060T00:00:00Z', 'date_time_not_calendar'],
    ['2026060', 'date_time_not_calendar'],
    ['2026W011T000000Z', 'date_time_not_calendar'],
    ['20260101T00:00:00Z', 'date_time_format'],
    ['20260101T0000:00Z', 'date_time_format'],
    ['2026-01-01T000000Z', 'date_time_format'],
    ['20260101T0000.5Z', 'date_time_format'],
    ['20260101T00000Z', 'date_time_format'],
    ['20260101T0000000Z', 'date_time_format'],
    ['2026-01-01T00Z', 'date_time_format'],
    ['2026-01-01T00:00:00.Z', 'date_time_format'],
    ['2026-01-01T00:00:00.1234567890Z', 'date_time_format'],
    ['2026-01-01T00:00,5Z', 'date_time_format'],
    ['2026-01-01T00:00.5Z', 'date_time_format'],
    ['2026-01-01T00:00:00+9', 'date_time_format'],
    ['2026-01-01T00:00:00+09:', 'date_time_format'],
    ['2026-01-01T00:00:00+09:0', 'date_time_format'],
    ['2026-01-01T00:00:00+09:00:00', 'date_time_format'],
    ['2026-01-01T00:00:00Z ', 'date_time_format'],
    [' 2026-01-01T00:00:00Z', 'date_time_format'],
    ['2026-01-01T00:00:00ZZ', 'date_time_format'],
    ['2026-01-01T00:00:00 UTC', 'date_time_format'],
    ['2026-W01-1T00:00:00Z', 'date_time_not_calendar'],
    ['+002026-01-01T00:00:00Z', 'date_time_format'],
    ['99999-01-01T00:00:00Z', 'date_time_format'],
    ['-2026-01-01T00:00:00Z', 'date_time_format'],
    ['infinity', 'date_time_format'],
    ['٢٠٢٦-01-01T00:00:00Z', 'date_time_format'],
    ['2026-01-01T00:00:00\u221209:00', 'date_time_format'],
    ['2026-01-01T00:00:00.' + '1'.repeat(100_000) + 'Z', 'date_time_format'],
  ])('%.50s is refused', (text, problem) => {
    expect(readDateTime(text, undefined)).toEqual({ problem });
  });

  it('A local time whose instant is after the year 9999 is refused', () => {
    const newYork = localOffsetOf('America/New_York');
    expect(readDateTime('9999-12-31T18:59:59', newYork)).toBe('9999-12-31T18:59:59-05:00');
    expect(readDateTime('9999-12-31T19:00:00', newYork)).toEqual({ problem: 'date_time_year' });
  });

  it('Exactly the texts that a regular expression and luxon accept are accepted', () => {
    fc.assert(
      fc.property(fc.oneof(dateTimeText, mangledDateTime), (text) => {
        const accepted = typeof readDateTime(text, undefined) === 'string';
        expect(accepted).toBe(isDateTime(text));
      }),
      { numRuns: propertyCases(5000) },
    );
  });

  it('The instant is kept to the microsecond', () => {
    fc.assert(
      fc.property(dateTimeText, (text) => {
        const kept = readDateTime(text, undefined);
        fc.pre(typeof kept === 'string');
        expect(microseconds(kept)).toBe(microseconds(text));
      }),
      { numRuns: propertyCases(2000) },
    );
  });

  it('A text that readDateTime returned is returned unchanged when it is read again', () => {
    fc.assert(
      fc.property(dateTimeText, (text) => {
        const kept = readDateTime(text, localOffsetOf('America/New_York'));
        fc.pre(typeof kept === 'string' && !/[+-]\d\d:\d\d:\d\d$/.test(kept));
        expect(readDateTime(kept, undefined)).toBe(kept);
      }),
      { numRuns: propertyCases(100) },
    );
  });
});

const extended =
  /^(\d{4})-\d\d-\d\d[Tt](\d\d):\d\d(:\d\d([.,]\d{1,9})?)?([Zz]|[+-]((0\d|1[0-3])(:?[0-5]\d)?|14(:?00)?))$/;
const basic =
  /^(\d{4})\d{4}[Tt](\d\d)\d\d(\d\d([.,]\d{1,9})?)?([Zz]|[+-]((0\d|1[0-3])(:?[0-5]\d)?|14(:?00)?))$/;

/** The same rules, implemented differently. */
function isDateTime(text: string): boolean {
  const match = extended.exec(text) ?? basic.exec(text);
  if (match === null || Number(match[1]) < 1900 || match[2] === '24') return false;
  const read = readWithLuxon(text);
  return read.isValid && read.year <= 9999;
}

const readWithLuxon = (text: string): DateTime => {
  // Luxon reads an offset in the form of the date only.
  const [, dateAndTime = '', hours = '', minutes = '00'] =
    /^(.*?)(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)$/.exec(text.replace(/[.,]\d+/, '')) ?? [];
  const colon = text.charAt(4) === '-' ? ':' : '';
  const offset = hours === '' ? 'Z' : `${hours}${colon}${minutes}`;
  return DateTime.fromISO(dateAndTime.toUpperCase() + offset, { zone: IANAZone.create('UTC') });
};

function microseconds(text: string): bigint {
  const fraction = /[.,](\d+)/.exec(text)?.[1] ?? '';
  return BigInt(readWithLuxon(text).toMillis()) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

describe('readOrderTime', () => {
  it.each([
    '1970-01-01T00:00:00Z',
    '1970-01-01T00:00Z',
    '1970-01-01T00:00:00.000000Z',
    '1970-01-01T00:00:00.000000999Z',
    '1970-01-01T00:00:00+09:00',
    '1970-01-01T00:00:00-05:00',
    '1970-01-01T00:00:00',
    '1970-01-01T09:00:00',
    '1970-01-01T09:00:00+09:00',
    '1969-12-31T19:00:00-05:00',
    '19700101T000000Z',
    '1900-01-01T00:00:00Z',
    '1900-01-01T00:00:00-03:00',
    '1900-01-01T00:00:00',
    '1900-01-01T09:00:00+09:00',
    '1899-12-31T19:00:00-05:00',
    '19000101T0000+0900',
    '9999-12-31T23:59:59Z',
    '9999-12-31T23:59:59.999999-12:00',
    '9999-12-31T00:00:00',
    '99990101T000000+0900',
  ])('%s means "never set"', (text) => {
    expect(readOrderTime(text, seoul)).toEqual({ problem: 'date_time_never_set' });
  });

  it.each([
    '1970-01-01T00:00:00.000001Z',
    '1970-01-01T00:00:01Z',
    '1970-01-01T01:00:00Z',
    '1970-01-02T00:00:00Z',
    '1969-12-31T00:00:00Z',
    '1971-01-01T00:00:00Z',
    '1900-01-01T00:00:00.5Z',
    '1900-01-02T00:00:00Z',
    '9998-12-31T23:59:59Z',
  ])('%s is a date-time like others', (text) => {
    expect(readOrderTime(text, seoul)).toBe(text);
  });

  it.each([
    ['1899-12-31T23:59:59Z', 'date_time_year'],
    ['9999-02-30T00:00:00Z', 'date_time_nonexistent'],
    ['1970-01-01', 'date_time_date_only'],
    ['1970-01-01T00:00:00+15:00', 'date_time_offset_range'],
  ])('%s is refused like in other fields', (text, problem) => {
    expect(readOrderTime(text, seoul)).toEqual({ problem });
  });

  it('Other texts are read like those of other fields', () => {
    const text = fc.oneof(dateTimeText, mangledDateTime);
    fc.assert(
      fc.property(text, fc.constantFrom(seoul, undefined), (given, localOffset) => {
        const read = readOrderTime(given, localOffset);
        const isNeverSet = typeof read === 'object' && read.problem === 'date_time_never_set';
        fc.pre(!isNeverSet);
        expect(read).toEqual(readDateTime(given, localOffset));
      }),
      { numRuns: propertyCases(100) },
    );
  });
});

describe('The milliseconds of a date-time', () => {
  it.each([
    ['2026-03-01T12:30+09:00', '2026-03-01T03:30:00.000Z'],
    ['2026-03-01T12:30:00.123456Z', '2026-03-01T12:30:00.123Z'],
    ['1905-01-01T00:00:00+08:27:52', '1904-12-31T15:32:08.000Z'],
    ['1905-01-01T00:00:00.5-03:30:52', '1905-01-01T03:30:52.500Z'],
  ])('%s is %s', (read, instant) => {
    expect(millisecondsOf(read)).toBe(Date.parse(instant));
  });
});

describe('An instant', () => {
  it.each([
    ['2026-11-21T10:00:00.123456+09:00', '2026-11-21T01:00:00.123456Z'],
    ['2026-11-21T10:00:00.1239999Z', '2026-11-21T10:00:00.123999Z'],
    ['2026-11-21T10:00Z', '2026-11-21T10:00:00.000000Z'],
    ['1900-01-01T00:00:00.5+14:00', '1899-12-31T10:00:00.500000Z'],
  ])('%s has its microseconds and is in UTC', (text, instant) => {
    expect(parseInstant(text)).toBe(instant);
  });

  it('A text that is not a date-time is an error', () => {
    expect(parseInstant('yesterday')).toMatchObject({ code: 'date_time_format' });
  });
});
