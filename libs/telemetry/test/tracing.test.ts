import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { release } from '@posthorn/config/release'

interface Attribute {
  key: string
  value: { stringValue?: string }
}
interface Sent {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: {
      spans: { name: string; traceId: string; parentSpanId?: string; attributes: Attribute[] }[]
    }[]
  }[]
}

const src = join(import.meta.dirname, '../src')

/**
 * Runs a traced service with this name and code; returns the tracing spans that its OpenTelemetry
 * collector receives.
 */
async function collectSpans(name: string, text: string, env: NodeJS.ProcessEnv = {}) {
  await using stack = new AsyncDisposableStack()
  const sent: Sent[] = []
  const collector = createServer((request, response) => {
    void buffer(request).then((body) => {
      // The OpenTelemetry collector of the test receives metrics as well, which are ignored.
      if (request.url === '/v1/traces') sent.push(JSON.parse(String(body)) as Sent)
      response.end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  stack.defer(() => void collector.close())
  const root = await mkdtemp(join(tmpdir(), 'posthorn-tracing-'))
  stack.defer(() => rm(root, { recursive: true }))
  await mkdir(join(root, name, 'src'), { recursive: true })
  const main = join(root, name, 'src/main.ts')
  await writeFile(main, `import { activeTrace, inSpan } from '${src}/traces.ts'\n${text}`)
  const { port } = collector.address() as AddressInfo
  await promisify(execFile)(process.execPath, ['--import', join(src, 'register.ts'), main], {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, ...env },
  })
  const all = sent.flatMap(({ resourceSpans }) => resourceSpans)
  return {
    resource: Object.fromEntries(
      all.flatMap(({ resource }) => resource.attributes.map((a) => [a.key, a.value.stringValue])),
    ),
    spans: all.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  }
}

const traceId = 'ab'.repeat(16)
const parent = `{ traceparent: '00-${traceId}-cdcdcdcdcdcdcdcd-01' }`

test('inSpan: the span has the name of the service, continues the trace and is propagated', async () => {
  const text = `await inSpan('outer', ${parent}, () => inSpan('inner', activeTrace(), async () => {}))`
  const { resource, spans } = await collectSpans('some-service', text)
  expect(resource['service.name']).toBe('some-service')
  expect(resource['service.version']).toBe(release.version)
  expect(Object.keys(resource).filter((key) => /^(?:process|host)\./.test(key))).toEqual([])
  expect(spans.map((span) => span.name).toSorted()).toEqual(['inner', 'outer'])
  expect(spans.map((span) => span.traceId)).toEqual([traceId, traceId])
  expect(spans.find(({ name }) => name === 'outer')?.parentSpanId).toBe('cdcdcdcdcdcdcdcd')
})

test('startTracing: a configured service name has precedence', async () => {
  const text = `await inSpan('x', {}, async () => {})`
  const named = await collectSpans('some-service', text, { OTEL_SERVICE_NAME: 'mine' })
  expect(named.resource['service.name']).toBe('mine')
  const attributes = { OTEL_RESOURCE_ATTRIBUTES: 'service.name=ours,deployment.environment=test' }
  const { resource } = await collectSpans('some-service', text, attributes)
  expect(resource).toMatchObject({ 'service.name': 'ours', 'deployment.environment': 'test' })
})

test('startTracing: HTTP spans contain neither path nor query', async () => {
  const text = `
    import { once } from 'node:events'
    import { createServer, get } from 'node:http'
    const server = createServer((request, response) => response.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const path = '/v1/tokens/canary?access_token=canary&code=canary'
    const [response] = await once(get({ port: server.address().port, host: '127.0.0.1', path }), 'response')
    await once(response.resume(), 'end')
    server.close()`
  const { spans } = await collectSpans('some-service', text)
  expect(spans.map(({ name }) => name)).toEqual(['GET', 'GET'])
  expect(JSON.stringify(spans)).toContain('server.address')
  expect(JSON.stringify(spans)).not.toContain('canary')
})
