import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { responseText } from './read-response.ts';

const limit = 64;

describe('responseText', () => {
  it('keeps text within the limit unchanged', () => {
    expect(responseText(Buffer.from('보상 완료'), 'application/json', limit)).toEqual({
      text: '보상 완료',
      cut: false,
    });
    expect(responseText(Buffer.alloc(0), undefined, limit)).toEqual({ text: '', cut: false });
  });

  it('cuts between characters', () => {
    expect(responseText(Buffer.from('가'.repeat(40)), undefined, limit)).toEqual({
      text: '가'.repeat(21),
      cut: true,
    });
  });

  it('decodes the given charset, or UTF-8 when the charset is unknown', () => {
    const euckr = Buffer.from([0xb0, 0xa1, 0xb3, 0xaa]);
    expect(responseText(euckr, 'text/html; charset=euc-kr', limit).text).toBe('가나');
    expect(responseText(Buffer.from('가나'), 'text/html; charset=nonsense', limit).text).toBe('가나');
  });

  it('returns text that PostgreSQL can store, within the limit, for any bytes', () => {
    const charsets = fc.constantFrom(undefined, 'text/plain', 'a/b; charset=utf-16le', 'a/b; charset=latin1');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), charsets, (body, contentType) => {
        const { text, cut } = responseText(Buffer.from(body), contentType, limit);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit);
        expect(text).not.toContain('\0');
        expect(text.isWellFormed()).toBe(true);
        if (body.length > limit) expect(cut).toBe(true);
      }),
      { numRuns: propertyCases(100) },
    );
  });
});
