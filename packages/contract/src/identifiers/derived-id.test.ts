import { base62 } from './random-text.ts';
import { deriveId } from './derived-id.ts';

describe('A derived identifier', () => {
  it('has the form of a random one, and never changes', () => {
    expect(deriveId('evt', 'rwd_1', 'reward.issue')).toBe('evt_HKn2SFgimuIn5uhxiNBrSX');
    expect(deriveId('rwd', '')).toMatch(/^rwd_[0-9A-Za-z]{22}$/);
  });

  it('differs when any part differs, wherever one part ends and the next begins', () => {
    const parts = [
      ['evt', 'a', 'b'],
      ['rwd', 'a', 'b'],
      ['evt', 'ab'],
      ['evt', 'a b'],
      ['evt', 'a","b'],
      ['evt', 'b', 'a'],
      ['evt', 'a', 'b', ''],
      ['evt', 'a'],
    ] as [string, ...string[]][];
    expect(new Set(parts.map(([prefix, ...rest]) => deriveId(prefix, ...rest).slice(4))).size).toBe(
      parts.length,
    );
  });

  it('uses all characters equally', () => {
    const counts = new Map(Array.from(base62, (character) => [character, 0]));
    for (let index = 0; index < 2_818; index += 1)
      for (const character of deriveId('evt', String(index)).slice(4))
        counts.set(character, (counts.get(character) ?? 0) + 1);
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 1_000) ** 2 / 1_000, 0);
    expect(chiSquare).toBeLessThan(140);
  });
});
