import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from '@jest/globals'
import { Posthorn } from '@posthorn/client'
import { checkout } from '@posthorn/local/paths'
import { coreServices } from '@posthorn/local/role-passwords'
import { eventually } from '@posthorn/testkit'
import { startWorld } from '../world.ts'

const world = await startWorld({ env: { SVC_REQUIRE_API_AUTH: 'false' } })
afterAll(() => world[Symbol.asyncDispose]())

test('SVC_REQUIRE_API_AUTH=false: a call needs no token, an invalid token is rejected', async () => {
  const options = { url: world.url, retryForMs: 0 }
  expect(await new Posthorn(options).listAccounts()).toMatchObject({ total: 0 })
  const invalid = new Posthorn({ ...options, token: '0'.repeat(64) })
  const rejection = { status: 401, message: 'Bad token' }
  await expect(invalid.listAccounts()).rejects.toMatchObject(rejection)
})

test('SVC_SETTINGS: settings are present, the secret one is hidden', async () => {
  const settings = await world.posthorn.getSettings({
    webhooksEnabled: true,
    serviceSecret: true,
    notifyTextSize: true,
  })
  expect(settings).toEqual({
    webhooksEnabled: true,
    serviceSecret: true,
    notifyTextSize: 2_097_152,
  })
})

test('every service serves /health/live and /metrics', async () => {
  for (const name of coreServices) {
    const base = `http://127.0.0.1:${world.services.ports[name]}`
    expect([name, (await fetch(`${base}/health/live`)).status]).toEqual([name, 200])
    expect(await (await fetch(`${base}/metrics`)).text()).toContain(`service="${name}"`)
  }
})

test('the OpenAPI document and its viewer are public', async () => {
  const document = (await (await fetch(new URL('/openapi.json', world.url))).json()) as {
    openapi: string
    paths: object
  }
  expect(document.openapi).toMatch(/^3\.1/)
  expect(Object.keys(document.paths)).toContain('/v1/account/{account}/submit')
  expect((await fetch(new URL('/docs/', world.url))).status).toBe(200)
})

test('an invalid variable is named, and the process exits with 1 before it connects', async () => {
  await Promise.all(
    coreServices.map(async (service) => {
      const env = {
        PATH: process.env['PATH'] ?? '',
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x',
        AMQP_URL: 'amqp://127.0.0.1:1',
        SVC_SECRET: 's'.repeat(32),
        SVC_PORT: 'often',
      }
      const start = promisify(execFile)(
        process.execPath,
        ['--import', '@posthorn/telemetry/register', 'src/main.ts'],
        { cwd: join(checkout, 'services', service), env },
      )
      await expect(start).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('SVC_PORT: must be a whole number, got "often"'),
      })
    }),
  )
})

test('SIGTERM: every service ends without being killed', async () => {
  // Sends SIGTERM to the services directly, because `stop` would kill a service after 30 s.
  for (const [name, pid] of Object.entries(world.services.pids)) {
    process.kill(pid, 'SIGTERM')
    await eventually(() => expect([name, existsSync(`/proc/${pid}`)]).toEqual([name, false]))
  }
})
