import { register } from 'node:module'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { AmqplibInstrumentation } from '@opentelemetry/instrumentation-amqplib'
import { ExpressInstrumentation } from '@opentelemetry/instrumentation-express'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { NodeSDK } from '@opentelemetry/sdk-node'

/** Starts tracing of this process: HTTP, Express, Postgres and RabbitMQ. Sampling and names come from the OTEL_ variables. */
export function startTracing(): void {
  // Without the hook ES modules are not instrumented, and the spans of Express are missing.
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url)
  const sdk = new NodeSDK({
    traceExporter: new OTLPTraceExporter(),
    autoDetectResources: false, // else the command line and the host's name leave with every span
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url = '' }) =>
          url.startsWith('/health') || url === '/metrics',
      }),
      new ExpressInstrumentation(),
      new PgInstrumentation(),
      new AmqplibInstrumentation(),
    ],
  })
  sdk.start()
  process.once('beforeExit', () => void sdk.shutdown())
}
