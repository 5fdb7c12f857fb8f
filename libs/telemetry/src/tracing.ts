import { basename, resolve } from 'node:path'
import { register } from 'node:module'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { ExpressInstrumentation } from '@opentelemetry/instrumentation-express'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { NodeSDK } from '@opentelemetry/sdk-node'

/**
 * Addresses hold secrets: `access_token`, the token that is to be revoked, codes of sign-ins, what others put into the addresses of
 * their webhooks. A span tells the route and the server, which are enough to find one's way.
 */
const untoldAddress = { 'url.full': undefined, 'url.path': undefined, 'url.query': undefined }

/**
 * Starts tracing of this process: HTTP, Express and Postgres. Sampling and names come from the OTEL_ variables. RabbitMQ is not
 * instrumented: the bus hands traces on, and work that a message only sets off, such as a session that lasts for days, is not in its trace.
 */
export function startTracing(env: NodeJS.ProcessEnv): void {
  nameThis(env, process.argv[1] ?? '')
  // Without the hook ES modules are not instrumented, and the spans of Express are missing.
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url)
  const sdk = new NodeSDK({
    traceExporter: new OTLPTraceExporter(),
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url = '' }) =>
          url.startsWith('/health') || url === '/metrics',
        startIncomingSpanHook: () => untoldAddress,
        startOutgoingSpanHook: () => untoldAddress,
      }),
      new ExpressInstrumentation(),
      // Sweeps ask the database all day: a query is told of where it is part of something.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  })
  sdk.start()
  process.once('beforeExit', () => void sdk.shutdown())
}

/** The name of the service's folder, unless another is set. And nothing else of the process: else its command line leaves with every span. */
function nameThis(env: NodeJS.ProcessEnv, main: string): void {
  env['OTEL_NODE_RESOURCE_DETECTORS'] ??= 'env'
  const { OTEL_RESOURCE_ATTRIBUTES: attributes = '' } = env
  if (!attributes.includes('service.name='))
    env['OTEL_SERVICE_NAME'] ??= basename(resolve(main, '../..'))
}
