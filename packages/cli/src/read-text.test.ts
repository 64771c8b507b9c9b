import { decodeText } from './read-text.ts';

const euckr = Buffer.from([0xc8, 0xab, 0xb1, 0xe6, 0xb5, 0xbf]); // 홍길동
const cp949 = Buffer.from([0x94, 0xee, 0x2d, 0x31]); // 뷁-1, which EUC-KR itself lacks

describe('A text that the command line reads', () => {
  it('is decoded as UTF-8, with or without its mark', () => {
    const text = '{"member_id":"홍길동 🎁"}';
    expect(decodeText(Buffer.from(text), 'f')).toBe(text);
    expect(decodeText(Buffer.from(`\ufeff${text}`), 'f')).toBe(text);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['UTF-16 of Windows', Buffer.from('\ufeff[]', 'utf16le'), /is not UTF-8 \(it is UTF-16\)/],
    ['UTF-16, big-endian', Buffer.from([0xfe, 0xff, 0, 0x5b]), /UTF-16, big-endian/],
    ['EUC-KR', euckr, /probably CP949 or EUC-KR/],
    ['CP949', cp949, /probably CP949 or EUC-KR/],
    ['bytes of no encoding', Buffer.from([0x5b, 0xff, 0xff, 0x00, 0xf8]), /its encoding is unknown/],
  ])('is refused with its probable encoding: %s', (_what, bytes, message) => {
    expect(() => decodeText(bytes, 'orders.json')).toThrow(message);
    expect(() => decodeText(bytes, 'orders.json')).toThrow(/^orders\.json is not UTF-8/);
  });
});
