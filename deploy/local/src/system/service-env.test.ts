import { expect, test } from '@jest/globals'
import { serviceNames } from '../role-passwords.ts'
import { serviceEnv } from './service-env.ts'

const shared = {
  ownerUrl: 'postgres://posthorn:owner-password@127.0.0.1:5432/posthorn',
  amqpUrl: 'amqp://a:b@127.0.0.1:5672/x',
  secret: 'the-secret',
  token: 'f'.repeat(64),
  settings: { serviceSecret: 'webhook-key' },
  bind: '0.0.0.0',
  env: { SVC_LOG_LEVEL: 'debug' },
}
const all = serviceNames.map((name) => [name, serviceEnv(name, 4000, shared)] as const)

test('serviceEnv: gives the secret to auth-bridge only, and the owner password to no service', () => {
  for (const [name, env] of all) {
    expect(JSON.stringify(env).includes('the-secret')).toBe(name === 'auth-bridge')
    expect(JSON.stringify(env)).not.toContain('owner-password')
  }
})

test('serviceEnv: gives the token and settings to api-gateway only, which alone uses the public address', () => {
  for (const [name, env] of all) {
    expect(JSON.stringify(env).includes('webhook-key')).toBe(name === 'api-gateway')
    expect('SVC_PREPARED_TOKEN' in env).toBe(name === 'api-gateway')
    expect(env['SVC_HOST']).toBe(name === 'api-gateway' ? '0.0.0.0' : '127.0.0.1')
  }
})

test('serviceEnv: with pgbouncer, each service connects to it', () => {
  const behind = { ...shared, pgbouncer: '127.0.0.1:6432' }
  const hosts = serviceNames.map(
    (name) => new URL(serviceEnv(name, 4000, behind)['DATABASE_URL'] ?? '').host,
  )
  expect(new Set(hosts)).toEqual(new Set(['127.0.0.1:6432']))
})

test('serviceEnv: gives each service its own database role and password', () => {
  const users = new Set(all.map(([, env]) => new URL(env['DATABASE_URL'] ?? '').username))
  const passwords = new Set(all.map(([, env]) => new URL(env['DATABASE_URL'] ?? '').password))
  expect([users.size, passwords.size]).toEqual([8, 8])
  expect(users).toContain('posthorn_webhook_dispatcher')
})
