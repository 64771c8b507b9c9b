/**
 * Orders of a request: their number, and the JSON array of them, in UTF-8, as pieces that follow each other. Orders that are
 * stored as they were sent are views of the body: the body must not be freed or moved before they are copied.
 */
export interface OrdersPart {
  orders: number;
  pieces: Buffer[];
}

const OPENING = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSING = Buffer.from(']');

/**
 * Collects the orders of a request, each as its text or as its position in the body. An order that is added again
 * replaces the earlier one.
 */
export class OrdersParts {
  private readonly body: Buffer | undefined;
  private readonly encoding: BufferEncoding;
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly texts: (string | undefined)[] = [];
  /** The index of the newest order of each id. */
  private readonly newest = new Map<string, number>();

  /** `encoding` is that of the texts. */
  constructor(body: Buffer | undefined, encoding: BufferEncoding) {
    this.body = body;
    this.encoding = encoding;
  }

  /** Whether any order was added as it stands in the body. */
  anySent = false;

  /** Adds an order as it stands in the body. */
  addSent(orderId: string, start: number, end: number): void {
    this.newest.set(orderId, this.texts.length);
    this.starts.push(start);
    this.ends.push(end);
    this.texts.push(undefined);
    this.anySent = true;
  }

  /** Adds an order as JSON. */
  addText(orderId: string, json: string): void {
    this.newest.set(orderId, this.texts.length);
    this.starts.push(0);
    this.ends.push(0);
    this.texts.push(json);
  }

  /** Divides the orders into parts of at most this number of orders. */
  divide(maxOrders: number): OrdersPart[] {
    const kept = [...this.newest.values()];
    const parts: OrdersPart[] = [];
    for (let start = 0; start < kept.length; start += maxOrders) {
      const part = kept.slice(start, start + maxOrders);
      parts.push({ orders: part.length, pieces: this.piecesOf(part) });
    }
    return parts;
  }

  private piecesOf(indexes: number[]): Buffer[] {
    const pieces: Buffer[] = [OPENING];
    for (let from = 0; from < indexes.length;) {
      if (from > 0) pieces.push(COMMA);
      const first = indexes[from] as number;
      const isText = this.texts[first] !== undefined;
      let next = from + 1;
      while (next < indexes.length && this.continues(indexes, next, isText)) next++;
      pieces.push(
        isText ? this.joinTexts(indexes.slice(from, next)) : this.cut(first, indexes[next - 1] as number),
      );
      from = next;
    }
    pieces.push(CLOSING);
    return pieces;
  }

  /** Whether an order can be joined with the one before it: both are texts, or they stand side by side in the body. */
  private continues(indexes: number[], at: number, isText: boolean): boolean {
    const index = indexes[at] as number;
    if ((this.texts[index] !== undefined) !== isText) return false;
    return isText || index === (indexes[at - 1] as number) + 1;
  }

  private joinTexts(indexes: number[]): Buffer {
    return Buffer.from(indexes.map((index) => this.texts[index]).join(), this.encoding);
  }

  private cut(first: number, last: number): Buffer {
    return (this.body as Buffer).subarray(this.starts[first], this.ends[last]);
  }
}
