import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, test } from '@jest/globals'
import { checkout } from '@posthorn/local/paths'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually } from '@posthorn/testkit'
import { freshMessageId, plainMessage, startWorld } from '../world.ts'

const run = promisify(execFile)
const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
  version: string
}
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
// The bundle of the services is outside of the checkout: a bundle that reads the sources or their
// packages fails.
const bundle = await mkdtemp(join(tmpdir(), 'posthorn-bundle-'))
stack.defer(() => rm(bundle, { recursive: true }))
const revision = '0123456789abcdef0123456789abcdef01234567'
await run(process.execPath, [join(checkout, 'deploy/image/src/build-main.ts'), bundle], {
  env: { ...process.env, REVISION: revision },
})
// As in a first installation, each service gets its part of the sealing keys that `posthorn keys`
// printed.
const { stdout: printedKeys } = await run(process.execPath, [
  join(bundle, 'posthorn.js'),
  'keys',
  '--format',
  'json',
])
const { secret, 'public-key': publicKey } = JSON.parse(printedKeys) as Record<string, string>
if (secret === undefined || publicKey === undefined) throw new Error('no keys were printed')
const spans: string[] = []
const collector = createServer((request, response) => {
  void buffer(request).then((body) => {
    const isZipped = request.headers['content-encoding'] === 'gzip'
    if (request.url === '/v1/traces') spans.push(String(isZipped ? gunzipSync(body) : body))
    response.end('{}')
  })
}).listen(0, '127.0.0.1')
await once(collector, 'listening')
stack.defer(() => void collector.close())
const { port } = collector.address() as AddressInfo
const world = stack.use(
  await startWorld({
    bundle,
    keys: { secret, publicKey },
    settings: { serviceUrl: 'https://post.example' },
    envByService: { 'api-gateway': { SVC_TRUSTED_PROXIES: '192.0.2.0/24' } },
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
  }),
)
const jane = await world.connectAccount('jane')

/** Runs a process of the bundle until it exits. */
async function runProcess(args: string[], env: Record<string, string> = {}) {
  const command = [join(bundle, 'posthorn.js'), ...args]
  return run(process.execPath, command, { cwd: bundle, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  )
}

test('services of the bundle: a message is reported, with the version in the User-Agent', async () => {
  const messageId = freshMessageId()
  await world.mail.deliver(jane.user, plainMessage({ messageId }))
  const { signatureValid, request } = await world.webhook(
    ({ event, data }) => event === 'messageNew' && data.messageId === messageId,
  )
  expect(signatureValid).toBe(true)
  expect(request.headers['user-agent']).toContain(`Posthorn/${version} (+`)
})

test('services of the bundle: start with the keys of `posthorn keys`, which no log contains', async () => {
  // The account of `jane` was connected with a password that api-gateway sealed.
  const { state } = await world.posthorn.getAccount({ account: 'jane' })
  expect(state).toBe('connected')
  const logs = globSync('*.log', { cwd: world.logDir })
  expect(logs.length).toBeGreaterThanOrEqual(7)
  for (const name of logs)
    expect([name, readFileSync(join(world.logDir, name), 'utf8').includes(secret)]).toEqual([
      name,
      false,
    ])
})

test('api-gateway of the bundle: logs which proxies are trusted', async () => {
  const lines = readFileSync(join(world.logDir, 'api-gateway.log'), 'utf8').split('\n')
  const line = lines.find((each) => each.includes('X-Forwarded-For of trusted proxies is used'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ trustedProxies: ['192.0.2.0/24'] })
})

test('services of the bundle: HTML is read in a separate process', async () => {
  const messageId = freshMessageId()
  const head = ['From: shop@example.test', `Message-ID: ${messageId}`, 'Content-Type: text/html']
  const html = `<p onclick="run()">${'Hello\r\n'.repeat(2_000)}</p>`
  await world.mail.deliver(jane.user, ['MIME-Version: 1.0', ...head, '', html, ''].join('\r\n'))
  const { data } = await world.webhook(
    ({ event, data }) => event === 'messageNew' && data.messageId === messageId,
  )
  const { text } = await world.posthorn.getMessage({
    account: 'jane',
    message: data.id,
    webSafeHtml: true,
  })
  // Without the reader process for HTML, the message would have no HTML.
  expect(text).toMatchObject({ html: `<p>${'Hello\n'.repeat(2_000)}</p>\n`, webSafe: true })
})

test('services of the bundle: functions of a route run in the sandbox', async () => {
  await world.posthorn.createWebhookRoute({
    body: {
      name: 'Subjects',
      targetUrl: `${world.receiver.url}?route`,
      enabled: true,
      content: {
        fn: 'return payload.event === "messageNew"',
        map: 'return { mapped: payload.data.subject }',
      },
    },
  })
  await eventually(async () => {
    await world.mail.deliver(
      jane.user,
      plainMessage({ messageId: freshMessageId(), subject: 'For the route' }),
    )
    const bodies = world.receiver.requests.map((request) => String(request.body))
    expect(bodies).toContain('{"mapped":"For the route"}')
  })
})

test('services of the bundle: templates are rendered, submissions are delivered', async () => {
  const template = await world.posthorn.createTemplate({
    body: {
      account: 'jane',
      name: 'news',
      content: { subject: 'News for {{params.name}}', text: 'Dear {{params.name}}' },
    },
  })
  const { mailMerge } = await world.posthorn.submitMessage({
    account: 'jane',
    body: {
      template: template.id,
      mailMerge: [{ to: { address: jane.address }, params: { name: 'Jane' } }],
    },
  })
  const messageId = mailMerge?.[0]?.messageId
  expect(messageId).toEqual(expect.any(String))
  const { data } = await world.webhook(
    ({ event, data }) => event === 'messageNew' && data.messageId === messageId,
  )
  expect(data.subject).toBe('News for Jane')
})

test('services of the bundle: the documentation is served, with the packages in its bill', async () => {
  const paths = [
    '/openapi.json',
    '/docs/',
    '/docs/try/',
    '/docs/try/scalar.js',
    '/docs/try/start.js',
  ]
  for (const path of paths)
    expect([path, (await fetch(new URL(path, world.url))).status]).toEqual([path, 200])
  expect((await fetch(new URL('/docs/guides/send/', world.url))).status).toBe(200)
  const bill = readFileSync(join(bundle, 'sbom.cdx.json'), 'utf8')
  for (const name of ['@scalar/api-reference', '@astrojs/starlight', 'pagefind'])
    expect(bill).toContain(`"name": "${name}"`)
})

test('services of the bundle: HTTP, Express and Postgres are traced', async () => {
  await eventually(async () => {
    await world.posthorn.listAccounts()
    const text = spans.join('\n')
    for (const scope of ['http', 'express', 'pg'])
      expect(text).toContain(`"@opentelemetry/instrumentation-${scope}"`)
    expect(text).toContain('{"key":"service.name","value":{"stringValue":"api-gateway"}}')
  })
})

test('migrate of the bundle: applies all migrations to an empty database', async () => {
  await withClient(world.ownerUrl, (client) => client.query('create database from_bundle'))
  stack.defer(() =>
    withClient(
      world.ownerUrl,
      async (client) => void (await client.query('drop database from_bundle')),
    ),
  )
  const url = Object.assign(new URL(world.ownerUrl), { pathname: '/from_bundle' }).href
  const files = await readdir(join(checkout, 'libs/db/src/migrations'))
  const names = files.map((file) => file.replace(/\.sql$/, '')).toSorted()
  expect(await runProcess(['migrate'], { DATABASE_OWNER_URL: url })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`\napplied ${names.join(', ')}\n$`)),
  })
})

test('jobs of the bundle: read their options', async () => {
  const { code, stdout } = await runProcess(['broker-users', '--print'])
  expect([code, stdout]).toEqual([0, expect.stringContaining('posthorn_sender')])
  const missing = await runProcess(['reseal', '--dry-run'])
  expect([missing.code, missing.stderr]).toEqual([1, 'SVC_SECRET: must be set\n'])
})

test.each(['version', '--version'])(
  '%s of the bundle: prints the release and its commit',
  async (name) => {
    const { code, stdout } = await runProcess([name])
    expect([code, stdout]).toEqual([0, `posthorn ${version} (${revision})\n`])
  },
)

test('health and metrics of the bundle: have the release and its commit', async () => {
  const base = `http://127.0.0.1:${world.services.ports['api-gateway']}`
  expect(await (await fetch(`${base}/health/ready`)).json()).toEqual({
    success: true,
    version,
    revision,
  })
})

test('an unknown process exits with 2 and names the help, which lists the processes', async () => {
  for (const name of ['nothing', 'constructor', '']) {
    const { code, stderr } = await runProcess([name])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`unknown command '${name}'`)])
    expect(stderr).toContain('--help')
  }
  expect((await runProcess(['--help'])).stdout).toContain('sync-worker')
})

test('source maps: every chunk has one, a stack trace names the source', async () => {
  const chunks = globSync('*.js', { cwd: bundle, exclude: ['rolldown-runtime-*', '_http-*'] })
  for (const chunk of chunks) {
    const text = readFileSync(join(bundle, chunk), 'utf8')
    // A chunk of the bundle that only exports names of another chunk has no code to map.
    const hasCode = !/^import\{[^}]*\}from"[^"]+";export\{[^}]*\};\s*$/.test(text)
    if (hasCode) expect(text).toContain(`sourceMappingURL=${chunk}.map`)
  }
  // The module of the sandbox's worker thread throws outside of a thread.
  const thrower = `setImmediate(() => import('${pathToFileURL(join(bundle, 'libs-sandbox-worker.js')).href}'))`
  const { code, stderr } = await runProcess(['nothing'], {
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(thrower)}"`,
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(/\n +at .*libs\/flow\/src\/workers\/[a-z-]+\.ts:\d+:\d+/)
})

test('a service: loads no second HTTP client', async () => {
  const report = `process.on('exit', () => console.log(process.moduleLoadList.filter((name) => /undici.undici|NativeModule http$/.test(name))))`
  const { stdout } = await runProcess(['imap-proxy'], {
    NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(report)}"`,
  })
  expect(stdout).toBe("[ 'NativeModule http' ]\n")
})

test('build: equal sources give equal bytes, except for the revision', async () => {
  // Bundle of the Jest run, which was built without a revision.
  const { TEST_BUNDLE: other } = process.env
  if (other === undefined) throw new Error('TEST_BUNDLE is not set, run Jest with its config')
  const releases = [bundle, other].map((each) => join(each, 'assets/package.json'))
  const difference = await run('diff', ['--recursive', '--brief', bundle, other]).catch(
    (error: { stdout: string }) => error,
  )
  expect(difference.stdout).toBe(`Files ${releases.join(' and ')} differ\n`)
  const [own, others] = releases.map((file) => JSON.parse(readFileSync(file, 'utf8')) as object)
  expect(own).toEqual({ ...others, revision })
})
