import {
  findNodeAtLocation,
  parse,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { usageError } from '../exit-codes.ts';
import { readText } from '../read-text.ts';

/** The orders of a file, and where they are in it. */
export type OrdersFile = {
  orders: unknown[];
  /** The line, from 1, of an order, or of one of its fields such as `items[0].quantity`. */
  lineOf: (index: number, field?: string) => number;
};

/**
 * Reads a JSON array of orders, an object with `orders`, or one order in each line (NDJSON). `-` reads the standard input.
 * @throws CommandError with the line when the file is neither
 */
export async function readOrdersFile(path: string, input: NodeJS.ReadableStream): Promise<OrdersFile> {
  // The decoder leaves out a mark of the byte order.
  const text = await readText(path, input);
  if (text.trim() === '') throw usageError(`${path} is empty.`);
  const name = path === '-' ? 'The input' : path;
  const file = readDocument(text, name) ?? readLines(text, name);
  const wrong = file.orders.findIndex((order) => typeof order !== 'object' || order === null);
  if (wrong !== -1) throw usageError(`${name}:${file.lineOf(wrong)}: an order must be a JSON object.`);
  return file;
}

/** Undefined when the text is more than one JSON document. */
function readDocument(text: string, name: string): OrdersFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (isLines(text)) return undefined;
    throw syntaxError(text, name);
  }
  const ofEnvelope = (value as { orders?: unknown } | null)?.orders;
  const [orders, path] = Array.isArray(value) ? [value, []] : [ofEnvelope, ['orders']];
  if (!Array.isArray(orders)) {
    // A single order in one line is NDJSON of one line.
    if (typeof value === 'object' && value !== null && 'order_id' in value) return only(value, text);
    throw usageError(`${name} must be an array of orders, {"orders": […]}, or one order in each line.`);
  }
  // Built when the first line is asked for: most files have no error.
  let tree: Node | undefined;
  return {
    orders,
    lineOf: (index, field = '') => {
      tree ??= parseTree(text);
      const node = tree && nearest(tree, [...path, index, ...segmentsOf(field)]);
      return lineAt(text, node?.offset ?? 0);
    },
  };
}

const only = (order: unknown, text: string): OrdersFile => {
  let tree: Node | undefined;
  return {
    orders: [order],
    lineOf: (_index, field = '') => {
      tree ??= parseTree(text);
      return lineAt(text, (tree && nearest(tree, segmentsOf(field)))?.offset ?? 0);
    },
  };
};

/** Whether the text looks like one JSON object in each line. */
function isLines(text: string): boolean {
  const [first = '', second = ''] = text.split('\n').filter((line) => line.trim() !== '');
  return first.trim().startsWith('{') && first.trim().endsWith('}') && second.trim().startsWith('{');
}

function readLines(text: string, name: string): OrdersFile {
  const orders: unknown[] = [];
  const lines: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      orders.push(JSON.parse(line));
    } catch {
      throw usageError(`${name}:${index + 1}: this line is not a JSON document.`);
    }
    lines.push(index + 1);
  }
  return { orders, lineOf: (index) => lines[index] ?? 1 };
}

function syntaxError(text: string, name: string): Error {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  // `InvalidSymbol` reads "invalid symbol".
  const what = first
    ? printParseErrorCode(first.error)
        .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
        .toLowerCase()
    : 'not JSON';
  return usageError(`${name}:${lineAt(text, first?.offset ?? 0)}: ${what}.`);
}

/** The node at a path, or the nearest one above: a missing field has none. */
function nearest(tree: Node, path: (string | number)[]): Node | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return node.parent?.type === 'property' ? node.parent : node;
  }
  return undefined;
}

/** `items[0].quantity` as `items`, 0, `quantity`. */
function segmentsOf(field: string): (string | number)[] {
  return field
    .split(/[.[\]]/)
    .filter((segment) => segment !== '')
    .map((segment) => (/^\d{1,9}$/.test(segment) ? Number(segment) : segment));
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
