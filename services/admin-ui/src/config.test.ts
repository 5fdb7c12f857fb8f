import { expect, test } from '@jest/globals'
import { readConfig } from './config.ts'

const env = {
  DATABASE_URL: 'postgres://db.example/mail',
  AMQP_URL: 'amqp://broker.example',
  SVC_GATEWAY_URL: 'http://gateway.example:3000',
}

test('readConfig: by default, all addresses have access and the audit log is kept for 400 days', () => {
  expect(readConfig(env)).toMatchObject({
    port: 3008,
    adminUrl: undefined,
    addresses: undefined,
    setupToken: undefined,
    auditKeepMs: 400 * 86_400_000,
    databasePoolSize: 2,
  })
})

test('readConfig: the set-up token is not printed', () => {
  const token = 'a'.repeat(43)
  const { setupToken } = readConfig({ ...env, SVC_ADMIN_SETUP_TOKEN: token })
  expect([setupToken?.reveal(), String(setupToken)]).toEqual([token, '***'])
})

test.each([
  ['SVC_GATEWAY_URL', 'gateway'],
  ['SVC_ADMIN_ADDRESSES', '10.0.0.0/40'],
  ['SVC_ADMIN_SETUP_TOKEN', 'short'],
  ['SVC_ADMIN_AUDIT_KEEP', '1d'],
  ['SVC_TLS_CERT', '/tls/tls.crt'],
])('readConfig: %s with the value %s is rejected', (name, value) => {
  expect(() => readConfig({ ...env, [name]: value })).toThrow(/SVC_/)
})
