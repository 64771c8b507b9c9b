import { commands } from './commands.ts';
import { parseCommandLine } from './parse-command-line.ts';

describe('A command that takes something away', () => {
  const words = ['merchant', 'wipe-live', '--merchant', 'mer_1'];
  const parsed = {
    kind: 'command',
    command: commands['merchant wipe-live'],
    options: { merchant: 'mer_1' },
    operator: undefined,
    testSide: false,
    json: false,
  };

  it('has --yes and --dry-run, which are no options of the others', () => {
    expect(parseCommandLine(words)).toEqual({ ...parsed, yes: false, dryRun: false });
    expect(parseCommandLine([...words, '--yes'])).toEqual({ ...parsed, yes: true, dryRun: false });
    expect(parseCommandLine([...words, '--dry-run'])).toEqual({ ...parsed, yes: false, dryRun: true });
    for (const flag of ['--yes', '--dry-run'])
      expect(() => parseCommandLine(['merchant', 'show', '--merchant', 'mer_1', flag])).toThrow(flag);
  });
});
