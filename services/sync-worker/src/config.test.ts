import { expect, test } from '@jest/globals'
import { readConfig } from './config.ts'

const env = {
  DATABASE_URL: 'postgres://user@db.example:6000/mail',
  AMQP_URL: 'amqps://user@broker.example',
}
const read = (timeout?: string) =>
  readConfig(timeout === undefined ? env : { ...env, SVC_SHUTDOWN_TIMEOUT: timeout }).handoffMs

test('readConfig: the handoff has all but 9.5 s of the shutdown, at least 0.5 s', () => {
  expect([read(), read('10s'), read('1s'), read('220s')]).toEqual([500, 500, 500, 210_500])
})

test.each(['-1', '2h', 'soon'])('readConfig: SVC_SHUTDOWN_TIMEOUT=%s, throws', (timeout) => {
  expect(() => read(timeout)).toThrow('SVC_SHUTDOWN_TIMEOUT')
})

test('readConfig: SVC_PROVIDER_LIMITS changes single limits, an invalid one throws', () => {
  const readLimits = (text: string) => readConfig({ ...env, SVC_PROVIDER_LIMITS: text })
  expect(readLimits('{"graph":{"workerConcurrency":2}}').providerLimits).toMatchObject({
    gmail: { accountUnits: 6_000 },
    graph: { workerConcurrency: 2 },
  })
  expect(() => readLimits('{"graph":{"workers":2}}')).toThrow(
    'SVC_PROVIDER_LIMITS: unknown member "graph.workers"',
  )
})
