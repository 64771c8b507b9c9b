import { divideOrders } from './orders-part.ts';
import type { OrdersPart, RequestOrders } from './orders-part.ts';
import type { Order } from './order.ts';

/** The orders of a request in their canonical form, printed as JSON. */
export class PrintedOrders implements RequestOrders {
  private readonly texts: string[] = [];
  /** The index of the newest order of each id. */
  private readonly newest = new Map<string, number>();

  get count(): number {
    return this.texts.length;
  }

  /** Adds an order. It replaces an earlier one of the same id. */
  add(order: Order): void {
    this.newest.set(order.order_id, this.texts.length);
    this.texts.push(JSON.stringify(order));
  }

  divide(maxOrders: number): OrdersPart[] {
    return divideOrders(this.newest, maxOrders, (indexes) => [
      Buffer.from(indexes.map((index) => this.texts[index]).join()),
    ]);
  }
}
