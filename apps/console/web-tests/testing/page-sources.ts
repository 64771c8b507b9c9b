import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { projectRoot } from '@rewardhook/testing';

/** A source file of the page. */
export interface PageSource {
  /** From `web/src`. */
  path: string;
  /** Every string in it, with `${}` for what is inserted. */
  strings: Set<string>;
  /** Strings that the page shows as they are written. */
  shown: string[];
}

interface Node {
  type: string;
  [field: string]: unknown;
}

const folder = join(projectRoot, 'apps/console/web/src');
/** Attributes that people see or hear. */
const shownAttributes = /^(?:alt|aria-label|description|error|label|lead|name|placeholder|text|title)$/;

/** The sources of the page, without those of the texts. */
export const readPageSources = (): PageSource[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('texts.ts'))
    .map(readPageSource);

function readPageSource(path: string): PageSource {
  const source: PageSource = { path, strings: new Set(), shown: [] };
  const visit = (node: Node): void => {
    const string = stringOf(node);
    if (string !== undefined) source.strings.add(string);
    source.shown.push(...shownBy(node));
    childrenOf(node).forEach(visit);
  };
  const text = readFileSync(join(folder, path), 'utf8');
  visit(parseSync(text, { syntax: 'typescript', tsx: path.endsWith('.tsx') }) as unknown as Node);
  return source;
}

function stringOf({ type, value, quasis }: Node): string | undefined {
  if (type === 'StringLiteral') return value as string;
  return type === 'TemplateLiteral'
    ? (quasis as { raw: string }[]).map(({ raw }) => raw).join('${}')
    : undefined;
}

/** What an element shows of itself: its text, and the strings in its attributes and in braces. */
function shownBy(node: Node): string[] {
  if (node.type === 'JSXText') return [(node['value'] as string).trim()];
  if (node.type === 'JSXAttribute')
    return shownAttributes.test((node['name'] as Node)['value'] as string)
      ? stringsIn(node['value'] as Node)
      : [];
  if (node.type !== 'JSXElement' && node.type !== 'JSXFragment') return [];
  return (node['children'] as Node[])
    .filter(({ type }) => type === 'JSXExpressionContainer')
    .flatMap(stringsIn);
}

/** The strings that an expression can result in. */
function stringsIn(node: Node | undefined): string[] {
  switch (node?.type) {
    case 'JSXExpressionContainer':
    case 'ParenthesisExpression':
      return stringsIn(node['expression'] as Node);
    case 'ConditionalExpression':
      return [node['consequent'], node['alternate']].flatMap((one) => stringsIn(one as Node));
    case 'BinaryExpression':
      return /^(?:&&|\|\||\?\?|\+)$/.test(node['operator'] as string)
        ? [node['left'], node['right']].flatMap((one) => stringsIn(one as Node))
        : [];
    default:
      return node ? [stringOf(node) ?? []].flat() : [];
  }
}

const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .flatMap((value) =>
      typeof value === 'object' && value !== null ? (isNode(value) ? value : childrenOf(value as Node)) : [],
    );

const isNode = (value: object): value is Node => typeof (value as Node).type === 'string';
