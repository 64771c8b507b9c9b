/** What is known of a request that work is done for. It travels with the work through all stages. */
export interface RequestTrace {
  requestId?: string | undefined;
  /** W3C Trace Context: the span that the next one belongs to. */
  traceparent?: string | undefined;
}

export type SpanKind = 'server' | 'producer' | 'consumer' | 'internal' | 'client';

export type SpanAttributes = Record<string, string | number | boolean | undefined>;

export interface SpanOptions {
  kind: SpanKind;
  /** The traceparent of the span that this one belongs to. Without it a new trace begins. */
  parent?: string | undefined;
  /** Traceparents of spans in other traces that share the work. At most 16 are kept. */
  links?: readonly string[];
  attributes?: SpanAttributes;
}

/** One step of a trace, until it is ended. */
export interface Span {
  /** For what follows from this step. While tracing is off: the given parent, unchanged. */
  readonly traceparent: string | undefined;
  /** Adds attributes, and replaces the name if one is given. */
  describe(attributes: SpanAttributes, name?: string): void;
  /** Ends the span; with an error, as failed: with its class and code, without its message. A text is exported as it is. */
  end(error?: unknown): void;
}

/** The traces of a process. */
export interface Tracing {
  /** Whether spans are recorded and exported. */
  readonly enabled: boolean;
  startSpan(name: string, options: SpanOptions): Span;
  /** Exports what is left, within half a second. */
  close(): Promise<void>;
}
