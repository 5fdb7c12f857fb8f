// Loaded before a service with `node --import`. Tracing is switched on by the standard variable of OpenTelemetry,
// OTEL_EXPORTER_OTLP_ENDPOINT (or …_TRACES_ENDPOINT); without it nothing is loaded, and nothing is paid.
const {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces,
  OTEL_SDK_DISABLED: disabled,
} = process.env

if ((endpoint || traces) && disabled !== 'true') {
  const { startTracing } = await import('./tracing.ts')
  startTracing(process.env)
}
