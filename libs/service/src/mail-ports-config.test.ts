import { expect, test } from '@jest/globals'
import { readMailPorts } from './mail-ports-config.ts'
import { readServiceConfig } from './service-config.ts'

const env = {
  DATABASE_URL: 'postgres://user@db.example:6000/mail',
  AMQP_URL: 'amqps://user@broker.example',
}
const read = (targets?: string) => {
  const service = readServiceConfig(env, { service: 'sync-worker', port: 3002 })
  return readMailPorts(targets === undefined ? env : { SVC_MAIL_ALLOWED_TARGETS: targets }, service)
}

test('readMailPorts: without targets, refuses the ports of Postgres and the service', () => {
  expect(read()).toEqual({ allowed: [], allowedTargets: [], own: [6000, 3002] })
})

test('readMailPorts: reads ports and destinations', () => {
  expect(read('80, Bridge.internal:3000,[2001:DB8::1]:8080, 127.0.0.1:1')).toMatchObject({
    allowed: [80],
    allowedTargets: ['bridge.internal:3000', '2001:db8::1:8080', '127.0.0.1:1'],
  })
})

test.each(['smtp', '0', '65536', 'host:', ':25', '10.0.0.0/8', '2001:db8::1:25', 'a b:25'])(
  'readMailPorts: %j, throws with the name of the variable',
  (targets) => expect(() => read(targets)).toThrow('SVC_MAIL_ALLOWED_TARGETS'),
)
