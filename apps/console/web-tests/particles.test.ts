import { withParticle } from '../web/src/app/particles.ts';

describe('Korean particles', () => {
  it.each([
    ['A-1001', 'A-1001이'],
    ['A-1002', 'A-1002가'],
    ['달빛', '달빛이'],
    ['티하우스', '티하우스가'],
    ['Moon (7)', 'Moon (7)이'],
  ])('%s takes the particle of its last sound', (value, expected) => {
    expect(withParticle(value, '이/가')).toBe(expected);
  });

  it('A value that ends in ㄹ takes 로, not 으로', () => {
    expect(['서울', '상점', '1'].map((value) => withParticle(value, '으로/로'))).toEqual([
      '서울로',
      '상점으로',
      '1로',
    ]);
  });
});
