import { commands } from './commands.ts';
import { parseCommandLine } from './parse-command-line.ts';

describe('A command that cannot be undone', () => {
  const words = ['merchant', 'wipe-live', '--merchant', 'mer_1'];

  it('is not run without --yes, and says what it would do', () => {
    expect(() => parseCommandLine(words)).toThrow(
      'Nothing was done: it deletes all live data of the merchant, and gives it a new id. Add --yes to do it.',
    );
  });

  it('is run with --yes, which is no option of the others', () => {
    expect(parseCommandLine([...words, '--yes'])).toEqual({
      kind: 'command',
      command: commands['merchant wipe-live'],
      options: { merchant: 'mer_1' },
      operator: undefined,
      testSide: false,
    });
    expect(() => parseCommandLine(['merchant', 'show', '--merchant', 'mer_1', '--yes'])).toThrow('--yes');
  });
});
