import { execFileSync } from 'node:child_process';
import { projectRoot } from '@rewardhook/testing';
import type { MarkdownDocument } from '../../web/src/rooms/docs/document.ts';

/**
 * Reads documents as the build does, in a process of its own: jest cannot load the Markdown parser, which is an ES module.
 * @throws what the build throws, such as for a link that leads nowhere
 */
export function readDocuments(paths: string[]): MarkdownDocument[] {
  const script = 'apps/console/web-tests/testing/print-documents.ts';
  const args = ['--import', 'tsx', '-C', 'source', script, ...paths];
  const printed = execFileSync(process.execPath, args, {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
    stdio: 'pipe',
  });
  return JSON.parse(printed) as MarkdownDocument[];
}
