// Module that every service loads before its own modules, with `node --import`. Tracing is only
// loaded if OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set, because
// tracing costs memory and CPU time.
const {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces,
  OTEL_SDK_DISABLED: disabled,
} = process.env

if ((endpoint || traces) && disabled !== 'true') {
  const { startTracing } = await import('./tracing.ts')
  startTracing(process.env)
}
