import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { withParticle } from '../web/src/i18n/ko/particles.ts';

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

  it('No text contains a pair of particles, or a fixed particle after a value that determines it', () => {
    const folder = join(projectRoot, 'apps/console/web/src/i18n/ko');
    const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
    const wrong = texts.join('').match(/\([이은을으]\)|\([가는를로]\)|\}\}(?:[이가은는을를]|으로|와|과) /g);
    expect(wrong).toBeNull();
  });
});
