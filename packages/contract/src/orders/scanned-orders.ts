import { divideOrders } from './orders-part.ts';
import type { OrdersPart, RequestOrders } from './orders-part.ts';

const COMMA = Buffer.from(',');

/** The orders of a request as they stand in its body, with what is inserted into them. */
export class ScannedOrders implements RequestOrders {
  private readonly body: Buffer;
  /** Where each order begins, and where it ends (exclusive). */
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  /** Bytes that are inserted, and their positions in the body. */
  private readonly inserted: Buffer[] = [];
  private readonly insertedAt: number[] = [];
  /** For each order the number of insertions before it. */
  private readonly insertionsBefore: number[] = [];
  /** The index of the newest order of each id. */
  private readonly newest = new Map<string, number>();

  constructor(body: Buffer) {
    this.body = body;
  }

  get count(): number {
    return this.ends.length;
  }

  /** Begins an order. */
  begin(start: number): void {
    this.starts.push(start);
    this.insertionsBefore.push(this.inserted.length);
  }

  /** Inserts bytes into the order that was begun, after those that were inserted before. */
  insert(at: number, bytes: Buffer): void {
    this.insertedAt.push(at);
    this.inserted.push(bytes);
  }

  /** Ends an order. It replaces an earlier one of the same id. */
  end(orderId: string, end: number): void {
    this.newest.set(orderId, this.ends.length);
    this.ends.push(end);
  }

  divide(maxOrders: number): OrdersPart[] {
    return divideOrders(this.newest, maxOrders, (indexes) => this.piecesOf(indexes));
  }

  /** Orders that stand side by side in the body are one piece, but for insertions. */
  private piecesOf(indexes: number[]): Buffer[] {
    const pieces: Buffer[] = [];
    for (let from = 0; from < indexes.length;) {
      const first = indexes[from] as number;
      let next = from + 1;
      while (indexes[next] === first + next - from) next++;
      if (from > 0) pieces.push(COMMA);
      this.cut(first, first + next - from - 1, pieces);
      from = next;
    }
    return pieces;
  }

  /** Adds the bytes from the start of one order to the end of another. */
  private cut(first: number, last: number, pieces: Buffer[]): void {
    let at = this.starts[first] as number;
    const end = this.insertionsBefore[last + 1] ?? this.inserted.length;
    for (let index = this.insertionsBefore[first] as number; index < end; index++) {
      const position = this.insertedAt[index] as number;
      if (position > at) pieces.push(this.body.subarray(at, position));
      pieces.push(this.inserted[index] as Buffer);
      at = position;
    }
    pieces.push(this.body.subarray(at, this.ends[last]));
  }
}
