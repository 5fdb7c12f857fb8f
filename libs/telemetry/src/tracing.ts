import { basename, resolve } from 'node:path'
import { register } from 'node:module'
import { release } from '@posthorn/config/release'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { ExpressInstrumentation } from '@opentelemetry/instrumentation-express'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { NodeSDK } from '@opentelemetry/sdk-node'

/**
 * Attributes that are removed from tracing spans, because these attributes contain URLs with
 * possible secrets: access tokens, OAuth 2.0 codes, and credentials for webhooks. The attributes
 * with the route and the host are kept.
 */
const removedAttributes = { 'url.full': undefined, 'url.path': undefined, 'url.query': undefined }

/**
 * Starts tracing of HTTP, Express and Postgres in this process. The OTEL_ variables configure
 * tracing. RabbitMQ is not instrumented, because the bus passes trace contexts on by itself.
 * Long-lived work that a message starts, such as an account session, does not belong to the trace
 * of the message.
 */
export function startTracing(env: NodeJS.ProcessEnv): void {
  describeService(env, process.argv[1] ?? '')
  // ES modules can only be instrumented through this hook of import-in-the-middle. Without the
  // hook, there would be no spans for Express.
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
      // Postgres queries without a parent span are not traced. Such queries belong mainly to
      // periodic tasks.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  })
  sdk.start()
  process.once('beforeExit', () => void sdk.shutdown())
}

/**
 * Sets the service name of traces to the name of the service's folder, and the service version to
 * the version of the release. Configured values are not changed. Other resource detectors are
 * disabled, because they would export the command line.
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
