import { isUtf8 } from 'node:buffer';
import { compileScanFields } from '../fields/scan-fields.ts';
import type { ScanField, ScanFields } from '../fields/scan-fields.ts';
import type { LocalOffset } from '../fields/time-zone.ts';
import { itemFields, orderFields } from './order.ts';
import { requestLimits } from './request-limits.ts';
import { ScannedOrders } from './scanned-orders.ts';

const TAB = 9;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const EXCLAMATION_MARK = 33;
const QUOTE = 34;
const COMMA = 44;
const ZERO = 48;
const COLON = 58;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const CLOSING_BRACKET = 93;
const LOWER_N = 110;
const LOWER_T = 116;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const ORDERS = bytesOf('"orders"');
const TRUE = bytesOf('true');
const FALSE = bytesOf('false');
const NULL = bytesOf('null');

/** An integer of more digits may be greater than 2^53 - 1. */
const SAFE_DIGITS = 15;

/** Whitespace of at most this share of an order is stored in Redis with it. */
const MAX_WHITESPACE = 0.25;

/** In place of a position: the body has to be parsed. */
const STOP = -1;

const orderTable = compileScanFields(orderFields);
const itemTable = compileScanFields(itemFields);

/** The field whose value is the id of an order. */
const idField = orderTable.fields.find(({ name }) => Buffer.from(name).equals(Buffer.from('"order_id"')));

/**
 * Validates the orders of a body in one pass over its bytes, without parsing them, and takes each order as it was sent. Returns
 * undefined when the body has to be parsed and validated by `validateSyncRequest`, because something in it
 *
 * - is invalid, or may be: this function reports no errors;
 * - would not have the same meaning in PostgreSQL: a number with a sign, a fraction or an exponent, a date-time with more than 6
 *   fraction digits, a field that is repeated;
 * - is rare: an unknown field, a number of more than 15 digits, an order of which more than a quarter is whitespace.
 *
 * What is absent in an item, and the offset of a date-time without one, is inserted. So the orders mean the same to
 * PostgreSQL as their canonical form. 100 orders of 57 kB take about 0.1 ms (decision 067).
 */
export function scanOrders(
  bytes: Buffer,
  { localOffset }: { localOffset: LocalOffset },
): ScannedOrders | undefined {
  return isUtf8(bytes) ? new OrderScanner(bytes, localOffset).scanBody() : undefined;
}

/**
 * Methods that take a position return the one after what they have read, or STOP. A byte after the end is undefined, and equal
 * to no other.
 */
class OrderScanner {
  private readonly bytes: Buffer;
  /** The number of products so far, and of those before the order. */
  private products = 0;
  private productsBefore = 0;
  private readonly localOffset: LocalOffset;
  private readonly orders: ScannedOrders;
  /** The number of bytes between values so far. */
  private whitespace = 0;
  /** Whether the last text has an escape. */
  private hasEscape = false;
  /** The id of the last order. */
  private orderId = '';

  constructor(bytes: Buffer, localOffset: LocalOffset) {
    this.bytes = bytes;
    this.localOffset = localOffset;
    this.orders = new ScannedOrders(bytes);
  }

  /** Reads a body that has orders and nothing else. */
  scanBody(): ScannedOrders | undefined {
    const { bytes } = this;
    let at = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
    at = this.skipWhitespace(at);
    if (bytes[at] !== OPENING_BRACE) return undefined;
    at = this.after(ORDERS, this.skipWhitespace(at + 1));
    if (at === STOP) return undefined;
    at = this.skipWhitespace(at);
    if (bytes[at] !== COLON) return undefined;
    at = this.scanList(this.skipWhitespace(at + 1), true);
    if (at === STOP || this.orders.count === 0) return undefined;
    at = this.skipWhitespace(at);
    if (bytes[at] !== CLOSING_BRACE) return undefined;
    return this.skipWhitespace(at + 1) === bytes.length ? this.orders : undefined;
  }

  /** Reads the list of the orders, or of the items of an order. */
  private scanList(start: number, ofOrders: boolean): number {
    const { bytes } = this;
    if (bytes[start] !== OPENING_BRACKET) return STOP;
    let at = this.skipWhitespace(start + 1);
    if (bytes[at] === CLOSING_BRACKET) return at + 1;
    for (;;) {
      if (!ofOrders && this.hasTooManyProducts()) return STOP;
      at = ofOrders ? this.scanOrder(at) : this.scanObject(at, itemTable, true);
      if (at === STOP) return STOP;
      at = this.skipWhitespace(at);
      const byte = bytes[at];
      if (byte === CLOSING_BRACKET) return at + 1;
      if (byte !== COMMA) return STOP;
      at = this.skipWhitespace(at + 1);
    }
  }

  /** Counts a product. */
  private hasTooManyProducts(): boolean {
    this.products += 1;
    return (
      this.products > requestLimits.products ||
      this.products - this.productsBefore > requestLimits.productsOfOrder
    );
  }

  private scanOrder(start: number): number {
    if (this.orders.count === requestLimits.orders) return STOP;
    this.productsBefore = this.products;
    const whitespaceBefore = this.whitespace;
    this.orders.begin(start);
    const end = this.scanObject(start, orderTable, false);
    if (end === STOP) return STOP;
    if (this.whitespace - whitespaceBefore > (end - start) * MAX_WHITESPACE) return STOP;
    this.orders.end(this.orderId, end);
    return end;
  }

  /**
   * Reads an object with the fields of a table, each at most once. With `complete`, the defaults of absent fields are inserted:
   * `rules.store_orders` has those of an order, and stores its items as they are.
   */
  private scanObject(start: number, { fields, required }: ScanFields, complete: boolean): number {
    const { bytes } = this;
    if (bytes[start] !== OPENING_BRACE) return STOP;
    let at = start + 1;
    let seen = 0;
    let next = 0;
    for (;;) {
      if ((bytes[at] as number) <= SPACE) at = this.skipWhitespace(at);
      // Most merchants send the fields in the order of the contract.
      let field = fields[next] as ScanField;
      let afterName = this.after(field.name, at);
      for (let index = 0; afterName === STOP && index < fields.length; index++) {
        field = fields[index] as ScanField;
        afterName = this.after(field.name, at);
        next = index;
      }
      if (afterName === STOP || (seen & field.bit) !== 0) return STOP;
      seen |= field.bit;
      next = next + 1 === fields.length ? 0 : next + 1;
      at = bytes[afterName] === COLON ? afterName : this.skipWhitespace(afterName);
      if (bytes[at] !== COLON) return STOP;
      at++;
      if ((bytes[at] as number) <= SPACE) at = this.skipWhitespace(at);
      at = this.scanValue(at, field);
      if (at === STOP) return STOP;
      if ((bytes[at] as number) <= SPACE) at = this.skipWhitespace(at);
      const byte = bytes[at];
      if (byte === CLOSING_BRACE) break;
      if (byte !== COMMA) return STOP;
      at++;
    }
    if ((seen & required) !== required) return STOP;
    if (complete)
      for (const { bit, absent } of fields) if ((seen & bit) === 0) this.orders.insert(at, absent);
    return at + 1;
  }

  private scanValue(at: number, field: ScanField): number {
    switch (field.kind) {
      case 'text':
        return this.scanText(at, field);
      case 'integer':
        return this.scanInteger(at, field.least);
      case 'boolean':
        return this.after(this.bytes[at] === LOWER_T ? TRUE : FALSE, at);
      case 'date_time':
        return this.scanDateTime(at, field);
      case 'list':
        return this.scanList(at, false);
    }
  }

  private scanText(start: number, field: ScanField): number {
    const end = this.endOfText(start);
    if (end === STOP) return STOP;
    const length = end - start - 2;
    if (length < field.least) return STOP;
    // JSON has no NUL and no lone surrogates but as escapes.
    if (this.hasEscape || length > field.mostBytes) {
      const text = this.decodeText(start, end);
      if (text === undefined || field.read(text, this.localOffset) === undefined) return STOP;
      if (field === idField) this.orderId = text;
    } else if (field === idField) this.orderId = this.bytes.toString('utf8', start + 1, end - 1);
    return end;
  }

  private scanDateTime(start: number, field: ScanField): number {
    if (this.bytes[start] === LOWER_N)
      return field.read(null, this.localOffset) === null ? this.after(NULL, start) : STOP;
    const end = this.endOfText(start);
    if (end === STOP) return STOP;
    const text = this.hasEscape
      ? this.decodeText(start, end)
      : this.bytes.toString('latin1', start + 1, end - 1);
    const read = text === undefined ? undefined : field.read(text, this.localOffset);
    if (read === text && text !== undefined) return end;
    // The offset is appended; a fraction that is cut makes another text.
    if (typeof read !== 'string' || text === undefined || !read.startsWith(text)) return STOP;
    this.orders.insert(end - 1, Buffer.from(read.slice(text.length)));
    return end;
  }

  private scanInteger(start: number, least: number): number {
    const { bytes } = this;
    let at = start;
    let value = 0;
    for (;;) {
      const digit = (bytes[at] as number) - ZERO;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
      at++;
    }
    const digits = at - start;
    if (digits === 0 || digits > SAFE_DIGITS || value < least) return STOP;
    return digits > 1 && bytes[start] === ZERO ? STOP : at;
  }

  /** Finds the end of a text, and whether it has an escape. What follows a backslash is not validated. */
  private endOfText(start: number): number {
    const { bytes } = this;
    this.hasEscape = false;
    if (bytes[start] !== QUOTE) return STOP;
    let at = start + 1;
    for (;;) {
      const byte = bytes[at++] as number;
      // Most bytes.
      if (byte > BACKSLASH || (byte > QUOTE && byte < BACKSLASH)) continue;
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) {
        this.hasEscape = true;
        at++;
      } else if (byte !== SPACE && byte !== EXCLAMATION_MARK) return STOP;
    }
  }

  /** The text that stands between two positions, as JSON; undefined when its escapes are invalid. */
  private decodeText(start: number, end: number): string | undefined {
    try {
      return JSON.parse(this.bytes.toString('utf8', start, end)) as string;
    } catch {
      return undefined;
    }
  }

  /** The position after these bytes, if they stand at this one. */
  private after(expected: Uint8Array, at: number): number {
    const { bytes } = this;
    const { length } = expected;
    for (let index = 0; index < length; index++) if (bytes[at + index] !== expected[index]) return STOP;
    return at + length;
  }

  private skipWhitespace(start: number): number {
    const { bytes } = this;
    let at = start;
    for (;;) {
      const byte = bytes[at];
      if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) break;
      at++;
    }
    this.whitespace += at - start;
    return at;
  }
}

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text));
}
