import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

/**
 * Headers of a RabbitMQ message with the trace context of the W3C standard (`traceparent`,
 * `tracestate`).
 */
export type TraceHeaders = Record<string, string>

/**
 * Returns the headers of a RabbitMQ message with which its receiver continues the active trace.
 * Empty without tracing.
 */
export function activeTrace(): TraceHeaders {
  const headers: TraceHeaders = {}
  propagation.inject(context.active(), headers)
  return headers
}

/**
 * Runs a function in a tracing span that continues the trace of the sender of a RabbitMQ message.
 * Costs almost nothing if tracing is off.
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
