import { expect, test } from '@jest/globals'
import type { Bus } from '@posthorn/bus'
import { busCheck, defaultChecks } from './bootstrap.ts'

test('defaultChecks: Postgres only, because most services work without RabbitMQ', () => {
  expect(Object.keys(defaultChecks({ db: {} as never }))).toEqual(['postgres'])
})

test('busCheck: fails while RabbitMQ is not connected', () => {
  const check = (up: boolean) => busCheck({ bus: { up } as Bus })['rabbitmq']
  expect(check(true)).not.toThrow()
  expect(check(false)).toThrow('RabbitMQ is not connected')
})
