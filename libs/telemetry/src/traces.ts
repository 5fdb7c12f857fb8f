import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

/** W3C trace context as message headers (`traceparent`, `tracestate`). */
export type TraceHeaders = Record<string, string>

/**
 * Returns message headers by which a receiver continues the active trace. Empty without tracing.
 */
export function activeTrace(): TraceHeaders {
  const headers: TraceHeaders = {}
  propagation.inject(context.active(), headers)
  return headers
}

/**
 * Runs work in a tracing span that continues the sender's trace. Costs almost nothing without
 * tracing.
 */
export function inSpan<T>(name: string, parent: TraceHeaders, work: () => Promise<T>): Promise<T> {
  const tracer = trace.getTracer('posthorn')
  return tracer.startActiveSpan(
    name,
    { kind: SpanKind.CONSUMER },
    propagation.extract(context.active(), parent),
    async (span) => {
      try {
        return await work()
      } catch (error) {
        span.recordException(error instanceof Error ? error : String(error))
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    },
  )
}
