import { diag, DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Context, SpanContext } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../logger.ts';
import { withTimeout } from '../with-timeout.ts';
import { describeFailure } from './describe-failure.ts';
import type { SpanKind as Kind, SpanOptions, Tracing } from './span.ts';

const kinds: Record<Kind, SpanKind> = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
};

const maxLinks = 16;
const exportTimeoutMs = 5_000;
const closeTimeoutMs = 500;
/** A collector that is unreachable is logged at most once in this time. */
const logIntervalMs = 60_000;

/**
 * Records spans and exports them in batches. When the collector is unreachable, spans are dropped: at most 2,048 wait. The
 * SDK itself reads OTEL_TRACES_SAMPLER and OTEL_BSP_* from the environment.
 */
export function openTelemetry(options: {
  service: string;
  endpoint: string;
  headers: string | undefined;
  log: Logger;
}): Tracing {
  logProblems(options.log);
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`,
    headers: headersOf(options.headers),
    timeoutMillis: exportTimeoutMs,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('rewardhook');
  return {
    enabled: true,
    startSpan(name, { kind, parent, links = [], attributes = {} }) {
      const span = tracer.startSpan(
        name,
        { kind: kinds[kind], attributes, links: linksOf(links) },
        contextOf(parent),
      );
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-0${traceFlags & 0b11}`,
        describe(more, newName) {
          for (const [key, value] of Object.entries(more))
            if (value !== undefined) span.setAttribute(key, value);
          if (newName !== undefined) span.updateName(newName);
        },
        end(error) {
          if (error !== undefined)
            span.setStatus({ code: SpanStatusCode.ERROR, message: describeFailure(error) });
          span.end();
        },
      };
    },
    async close() {
      await withTimeout(provider.shutdown(), closeTimeoutMs, 'the traces were not exported').catch(
        () => undefined,
      );
      diag.disable();
    },
  };
}

/** Reads `name=value,name=value`. A value may be percent-encoded. */
function headersOf(text = ''): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const name = pair.slice(0, pair.indexOf('='));
      return [name.trim(), decodeURIComponent(pair.slice(name.length + 1).trim())];
    }),
  );
}

/** The problems of the SDK, as one line per minute. */
function logProblems(log: Logger): void {
  let loggedAt = -Infinity;
  const report = (problem: unknown) => {
    if (performance.now() - loggedAt < logIntervalMs) return;
    loggedAt = performance.now();
    log.warn('traces cannot be exported', { error: String(problem).slice(0, 500) });
  };
  const none = () => undefined;
  diag.setLogger(
    { error: report, warn: report, info: none, debug: none, verbose: none },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

function contextOf(parent: SpanOptions['parent']): Context {
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));
}

function linksOf(traceparents: readonly string[]): { context: SpanContext }[] {
  return traceparents.slice(0, maxLinks).map((traceparent) => ({ context: spanContextOf(traceparent) }));
}

function spanContextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = '0'] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}
