import { describeDamagedArgument } from './text-encoding.ts';

const euckr = Buffer.from([0xc8, 0xab, 0xb1, 0xe6, 0xb5, 0xbf]); // 홍길동

/** The arguments of a process as Linux has them. */
const bytesOf = (...words: (Buffer | string)[]) =>
  Buffer.concat(words.flatMap((word) => [Buffer.from(word), Buffer.from([0])]));

describe('An argument of a command', () => {
  it('is accepted in UTF-8', () => {
    expect(describeDamagedArgument(['explain', '주문-1'], bytesOf('explain', '주문-1'))).toBeUndefined();
  });

  it('that is not UTF-8 is refused with its probable encoding', () => {
    const bytes = bytesOf('node', 'explain', euckr);
    expect(describeDamagedArgument(['explain', euckr.toString()], bytes)).toMatch(
      /is not UTF-8 \(probably CP949 or EUC-KR\)\. .*chcp 65001/,
    );
  });

  it.each([
    ['another program has decoded it', bytesOf('explain', '\ufffd-1')],
    ['the system does not have its bytes', new Uint8Array()],
  ])('that has lost characters is refused, when %s', (_when, bytes) => {
    expect(describeDamagedArgument(['explain', '\ufffd-1'], bytes)).toMatch(
      /has lost characters \(U\+FFFD\): it was probably CP949/,
    );
  });
});
