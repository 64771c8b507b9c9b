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
 * libraries of OpenTelemetry are loaded only then.
 */
export async function openTracing(
  service: string,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers }: TracingSettings,
  log: Logger,
): Promise<Tracing> {
  if (endpoint === undefined) return noTracing;
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry({ service: `rewardhook-${service}`, endpoint, headers, log });
}
