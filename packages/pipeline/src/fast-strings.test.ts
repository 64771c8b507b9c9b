import { spawnSync } from 'node:child_process';

/** Prints whether V8 has the methods of strings in a dictionary after this package was loaded. */
const program = `
  await import('@rewardhook/pipeline');
  console.log(%HasFastProperties(String.prototype) ? 'fast' : 'dictionary');
`;

describe('Strings', () => {
  it('Methods of strings are not looked up in a dictionary, although ioredis extends String', () => {
    const args = ['--allow-natives-syntax', '--import', 'tsx', '-C', 'source'];
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [...args, '--input-type=module', '--eval', program],
      { cwd: import.meta.dirname, encoding: 'utf8' },
    );
    expect([stdout.trim(), stderr]).toEqual(['fast', '']);
  });
});
