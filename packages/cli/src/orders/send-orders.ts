import { RewardhookError, type OrderInput } from '@rewardhook/node';
import { commandErrorOf, openApi, type Api } from '../api/open-api.ts';
import type { Settings } from '../environment.ts';
import { exitCodes, usageError } from '../exit-codes.ts';
import type { Terminal } from '../output/terminal.ts';
import { readOrdersFile, type OrdersFile } from './read-orders-file.ts';

/** What `rewardhook orders send` sends. */
export type SendCommand = {
  path: string;
  batchSize: string;
  strict: boolean;
  json: boolean;
  settings: Settings;
};

/** A field that the API refused or warned of. */
type Problem = { line: number; order_id: string | null; field: string; message: string };

/** Orders that were sent in one request. */
type Batch = { first: number; orders: unknown[] };

/** What became of the batches. */
type Result = { accepted: number; refused: number; warnings: Problem[]; errors: Problem[] };

const maxBatch = 1_000;
const defaultBatch = 500;
const maxBatchProducts = 10_000;
/** The limit of a request is 2 MiB; the rest is for the envelope. */
const maxBatchBytes = 2 * 1_024 * 1_024 - 100;
/** Attempts of a request after 503, 429 or no answer, over about a minute. */
const attempts = 8;

/** Sends the orders of a file, one batch at a time. Returns the exit code. */
export async function runSendOrders(
  command: SendCommand,
  { terminal, input }: { terminal: Terminal; input: NodeJS.ReadableStream },
): Promise<number> {
  const { settings, json, strict } = command;
  const { out, note, progress, style } = terminal;
  const size = readBatchSize(command.batchSize);
  const file = await readOrdersFile(command.path, input);
  if (file.orders.length === 0) throw usageError(`${command.path} contains no orders.`);
  const api = openApi(settings, attempts);
  const result: Result = { accepted: 0, refused: 0, warnings: [], errors: [] };
  const show = (kind: string, { line, order_id: id, field, message }: Problem): void => {
    progress('');
    const order = id === null ? '' : ` order ${id}`;
    out(
      `${command.path}:${line}${style.dim(order)}  ${kind}${field === '' ? '' : ` ${style.bold(field)}`} ${message}`,
    );
  };
  try {
    for (const batch of divide(file.orders, size)) {
      progress(`${result.accepted} of ${file.orders.length} orders accepted`);
      const [errors, warnings] = [result.errors.length, result.warnings.length];
      await sendBatch(api, batch, file, { strict, result });
      if (json) continue;
      for (const error of result.errors.slice(errors)) show(style.bad('error'), error);
      for (const warning of result.warnings.slice(warnings)) show(style.warn('warning'), warning);
    }
  } catch (error) {
    progress('');
    if (result.accepted > 0)
      note(`${result.accepted} of ${file.orders.length} orders were accepted before this:`);
    throw commandErrorOf(error);
  }
  progress('');
  if (json) terminal.json({ orders: file.orders.length, ...result }, 2);
  else {
    const refused = result.refused > 0 ? `, ${style.bad(`${result.refused} not accepted`)}` : '';
    const warnings =
      result.warnings.length > 0 ? `, ${style.warn(`${result.warnings.length} warnings`)}` : '';
    out(`${style.good(`${result.accepted} accepted`)}${refused}${warnings} of ${file.orders.length} orders`);
    if (result.refused > 0)
      out(
        'A request is accepted as a whole: the valid orders of a refused batch were not stored either. Fix the fields ' +
          'and send the file again, or use a smaller --batch-size.',
      );
  }
  return result.refused > 0 ? exitCodes.failed : exitCodes.done;
}

function readBatchSize(text: string): number {
  const size = Number(text);
  if (!Number.isInteger(size) || size < 1 || size > maxBatch)
    throw usageError(`--batch-size must be an integer from 1 to ${maxBatch}.`);
  return size;
}

function* divide(orders: readonly unknown[], size: number): Generator<Batch> {
  let batch: Batch = { first: 0, orders: [] };
  let bytes = 0;
  let products = 0;
  for (const [index, order] of orders.entries()) {
    const more = Buffer.byteLength(JSON.stringify(order)) + 1;
    const { items } = order as { items?: unknown };
    const moreProducts = Array.isArray(items) ? items.length : 0;
    const isFull =
      batch.orders.length === size ||
      products + moreProducts > maxBatchProducts ||
      bytes + more > maxBatchBytes;
    if (batch.orders.length > 0 && isFull) {
      yield batch;
      [batch, bytes, products] = [{ first: index, orders: [] }, 0, 0];
    }
    batch.orders.push(order);
    bytes += more;
    products += moreProducts;
  }
  yield batch;
}

/** Sends one request. What the API refuses or warns of is added to the result. */
async function sendBatch(
  api: Api,
  { first, orders }: Batch,
  file: OrdersFile,
  { strict, result }: { strict: boolean; result: Result },
): Promise<void> {
  const locate = (path: string, message: string): Problem => {
    const [, index, field = ''] = /^orders\[(\d+)\]\.?(.*)$/s.exec(path) ?? [];
    if (index === undefined) return { line: file.lineOf(first), order_id: null, field: path, message };
    const id = (orders[Number(index)] as { order_id?: unknown } | null)?.order_id;
    return {
      line: file.lineOf(first + Number(index), field),
      order_id: typeof id === 'string' ? id : null,
      field,
      message,
    };
  };
  try {
    const sent = await api.orders.send(orders as OrderInput[], { strict });
    result.accepted += sent.accepted_count;
    result.warnings.push(...Object.entries(sent.warnings).map(([path, message]) => locate(path, message)));
  } catch (error) {
    if (!(error instanceof RewardhookError) || error.code !== 'invalid_request') throw error;
    result.refused += orders.length;
    result.errors.push(...Object.entries(error.params ?? {}).map(([path, message]) => locate(path, message)));
  }
}

/** The default of `--batch-size`. */
export const batchSizeDefault = String(defaultBatch);
