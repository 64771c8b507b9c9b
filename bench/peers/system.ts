/** A system that delivers webhooks: the service, or a peer. */
export interface System {
  name: string;
  /** The process that signs and POSTs. */
  pid: number;
  addEndpoints(counts: EndpointCounts): Promise<Endpoints>;
  close(): Promise<void>;
}

/** How many endpoints respond at once, and how many never do. */
export interface EndpointCounts {
  healthy: number;
  hangs: number;
}

/** Endpoints of one system. */
export interface Endpoints {
  /** Makes deliveries due to each endpoint, which wait until the returned function is called. */
  hold(each: number): Promise<() => Promise<void>>;
  /** Makes deliveries due to each endpoint. */
  send(each: number): Promise<void>;
  /** Whether all deliveries to healthy endpoints have succeeded and are stored. */
  areDone(): Promise<boolean>;
  /** Milliseconds from due to the response, of each stored attempt to a healthy endpoint that succeeded. */
  times(): Promise<number[]>;
}
