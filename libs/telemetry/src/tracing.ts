import { basename, resolve } from 'node:path'
import { register } from 'node:module'
import { release } from '@posthorn/config/release'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { ExpressInstrumentation } from '@opentelemetry/instrumentation-express'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { NodeSDK } from '@opentelemetry/sdk-node'

/**
 * Attributes that are removed from tracing spans. URLs contain secrets: access tokens, OAuth 2.0
 * codes, and credentials in the URLs of webhooks. Route and host remain.
 */
const removedAttributes = { 'url.full': undefined, 'url.path': undefined, 'url.query': undefined }

/**
 * Starts tracing of HTTP, Express and Postgres in this process, configured by the OTEL_ variables.
 * RabbitMQ is not instrumented: the bus propagates traces, and long-lived work that a message
 * starts, such as an account session, is not part of its trace.
 */
export function startTracing(env: NodeJS.ProcessEnv): void {
  describeService(env, process.argv[1] ?? '')
  // Only the hook of import-in-the-middle instruments ES modules; without the hook, Express has no
  // spans.
  register('import-in-the-middle/hook.mjs', import.meta.url)
  const sdk = new NodeSDK({
    traceExporter: new OTLPTraceExporter(),
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url = '' }) =>
          url.startsWith('/health') || url === '/metrics',
        startIncomingSpanHook: () => removedAttributes,
        startOutgoingSpanHook: () => removedAttributes,
      }),
      new ExpressInstrumentation(),
      // Postgres queries of periodic tasks have no parent span and are not traced.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  })
  sdk.start()
  process.once('beforeExit', () => void sdk.shutdown())
}

/**
 * Sets the service name of traces to the folder of the service, and the service version to the
 * version of the release, unless they are configured. Other resource detectors are disabled,
 * because these detectors export the command line.
 */
function describeService(env: NodeJS.ProcessEnv, main: string): void {
  env['OTEL_NODE_RESOURCE_DETECTORS'] ??= 'env'
  const { OTEL_RESOURCE_ATTRIBUTES: attributes = '' } = env
  if (!attributes.includes('service.name='))
    env['OTEL_SERVICE_NAME'] ??= basename(resolve(main, '../..'))
  if (!attributes.includes('service.version='))
    env['OTEL_RESOURCE_ATTRIBUTES'] = [attributes, `service.version=${release.version}`]
      .filter((part) => part !== '')
      .join(',')
}
