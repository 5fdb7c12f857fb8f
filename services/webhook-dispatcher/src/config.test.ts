import { expect, test } from '@jest/globals'
import { readConfig } from './config.ts'

const required = { DATABASE_URL: 'postgres://localhost/x', AMQP_URL: 'amqp://localhost' }

test('readConfig: SVC_WEBHOOK_PROXY must be a proxy URL', () => {
  expect(readConfig(required).webhooks.proxy).toBeUndefined()
  const { webhooks } = readConfig({ ...required, SVC_WEBHOOK_PROXY: 'socks5://proxy.example:1080' })
  expect(webhooks.proxy).toEqual({ url: 'socks5://proxy.example:1080', egress: 'link-local' })
  expect(() => readConfig({ ...required, SVC_WEBHOOK_PROXY: 'proxy.example' })).toThrow(
    'SVC_WEBHOOK_PROXY',
  )
})

test('readConfig: defaults are those of the interface spec', () => {
  const { port, webhooks } = readConfig(required)
  expect(port).toBe(3004)
  expect(webhooks).toMatchObject({
    timeoutMs: 30_000,
    retryBaseMs: 5_000,
    egressPolicy: 'link-local',
    targetConcurrency: 4,
    leaseMs: 60_000,
  })
})

test('readConfig: an unknown egress policy is rejected, the error names the variable', () => {
  expect(() => readConfig({ ...required, SVC_WEBHOOK_EGRESS_POLICY: 'none' })).toThrow(
    'SVC_WEBHOOK_EGRESS_POLICY',
  )
})
