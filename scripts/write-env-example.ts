import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readSettingsTable } from './settings-table.ts';

// `npm run env:example` writes `.env.example` from the table of settings in docs/operations/settings.md, which a test compares with the
// settings that the processes declare.

const pathOf = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url));

const head = `# The settings of Rewardhook, from the table in docs/operations/settings.md: \`npm run env:example\` writes this file.
# A line that begins with # is not set, and shows the default, where there is one.
`;

/** The text of `.env.example`: each setting with its description, the processes that read it, and its default. */
export function envExample(document = readFileSync(pathOf('docs/operations/settings.md'), 'utf8')): string {
  const settings = readSettingsTable(document).flatMap(({ names, processes, defaults, text }) => {
    // Links become their texts.
    const description = text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
    // The defaults of one setting in several processes are told in words.
    const isPerProcess = defaults.length > names.length;
    const lines = names.map((name, index) => {
      const value = defaults[index] ?? '';
      if (value === 'required') return `${name}=`;
      return `#${name}=${isPerProcess || value === 'none' ? '' : value}`;
    });
    const inWords = isPerProcess ? `. Default: ${defaults.join(', ')}` : '';
    return [`\n# ${processes}: ${description}${inWords}`, ...lines];
  });
  return `${head}${settings.join('\n')}\n`;
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href)
  writeFileSync(pathOf('.env.example'), envExample());
