/** A request as it is sent. */
export interface FuzzRequest {
  /** The server: `api`, `console`, `dashboard`, or `health of …` for the health port of a process. */
  target: string;
  /** The route that it is made for, as the access log names it, such as `GET /api/open/orders/{order_id}`. */
  route: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** Whether it has the key or the session that the route asks for. */
  signedIn: boolean;
}
