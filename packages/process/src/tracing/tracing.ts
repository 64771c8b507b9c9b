import type { Logger } from '../logger.ts';
import type { Tracing } from './span.ts';

/** The settings of tracing, which OpenTelemetry defines. */
export interface TracingSettings {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  /** `name=value`, separated by commas; values are percent-encoded. */
  OTEL_EXPORTER_OTLP_HEADERS?: string;
}

/** Records nothing, and passes a given traceparent on. */
export const noTracing: Tracing = {
  enabled: false,
  startSpan: (_name, { parent }) => ({ traceparent: parent, describe() {}, end() {} }),
  close: () => Promise.resolve(),
};

/**
 * Opens the tracing of a process: it exports spans with OTLP over HTTP when OTEL_EXPORTER_OTLP_ENDPOINT is set. The
 * libraries of OpenTelemetry are loaded only then: an image may be built without them.
 * @throws Error when it is set and they are missing
 */
export async function openTracing(
  service: string,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers }: TracingSettings,
  log: Logger,
): Promise<Tracing> {
  if (endpoint === undefined) return noTracing;
  const { openTelemetry } = await import('./open-telemetry.ts').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages that export traces are not installed: ' +
        'use an image that was built without OPENTELEMETRY=false, or unset it',
      { cause: error },
    );
  });
  return openTelemetry({ service: `rewardhook-${service}`, endpoint, headers, log });
}
