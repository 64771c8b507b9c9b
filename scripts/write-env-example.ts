import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

// `npm run env:example` writes `.env.example` from the table of settings in docs/operations.md, which a test compares with the
// settings that the processes declare.

const pathOf = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));

const head = `# The settings of Rewardhook, from the table in docs/operations.md: \`npm run env:example\` writes this file.
# A line that begins with # is not set, and shows the default, where there is one.
`;

/** The text of `.env.example`: each setting with its description, the processes that read it, and its default. */
export function envExample(operations = readFileSync(pathOf('docs/operations.md'), 'utf8')): string {
  const section = operations.split(/^## /m).find((text) => text.startsWith('Settings\n')) ?? '';
  const table = section.split('<!-- prettier-ignore-end -->')[0] ?? '';
  const settings = table.split('\n').flatMap((line) => {
    const [, names = '', processes = '', defaults = '', ...cells] = line
      .split('|')
      .map((cell) => cell.trim());
    if (!names.startsWith('`')) return [];
    // Links become their texts.
    const text = cells.join('').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
    const values = defaults.replaceAll('`', '').split(', ');
    const lines = names
      .replaceAll('`', '')
      .split(', ')
      .map((name, index) => {
        const value = values[index] ?? '';
        if (value === 'required') return `${name}=`;
        // A default of each process is said in words.
        const isOne = values.length === names.split(', ').length && value !== 'none';
        return `#${name}=${isOne ? value : ''}`;
      });
    const perProcess = values.length > lines.length ? `. Default: ${values.join(', ')}` : '';
    return [`\n# ${processes}: ${text}${perProcess}`, ...lines];
  });
  return `${head}${settings.join('\n')}\n`;
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href)
  writeFileSync(pathOf('.env.example'), envExample());
