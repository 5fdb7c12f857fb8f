import { expect, test } from '@jest/globals'
import { GatewayRegistration, GatewayUpdate } from '@posthorn/contracts/schemas/gateway'
import { VerifyRequest } from '@posthorn/contracts/schemas/verification'
import { matches } from '@posthorn/contracts/validate'
import {
  bodyOfGateway,
  changesOfGateway,
  newGatewayValues,
  testedServer,
  valuesOfGateway,
} from './gateway-body.ts'

const values = {
  ...newGatewayValues,
  name: 'Relay',
  host: 'relay.example',
  user: 'mailer',
  pass: 'secret',
}
const server = { host: 'relay.example', port: 587, secure: false }

test('bodyOfGateway: an empty id is generated, and a login is optional', () => {
  const body = bodyOfGateway(values)
  expect(body).toEqual({ gateway: null, name: 'Relay', ...server, user: 'mailer', pass: 'secret' })
  const open = bodyOfGateway({ ...values, gateway: 'relay', user: '' })
  expect(open).toMatchObject({ gateway: 'relay', user: null, pass: null })
  expect([body, open].every((each) => matches(GatewayRegistration, each))).toBe(true)
})

test('changesOfGateway: an empty password stays, an empty user name removes the login', () => {
  const changes = changesOfGateway({ ...values, pass: '' })
  expect(changes).toEqual({ name: 'Relay', ...server, user: 'mailer' })
  const open = changesOfGateway({ ...values, user: '' })
  expect(open).toEqual({ name: 'Relay', ...server, user: null, pass: null })
  expect([changes, open].every((each) => matches(GatewayUpdate, each))).toBe(true)
})

test('valuesOfGateway: has no password', () => {
  const gateway = {
    gateway: 'relay',
    name: 'Relay',
    ...server,
    user: null,
    pass: '******',
    deliveries: 0,
    lastUse: null,
    lastError: null,
  }
  expect(valuesOfGateway(gateway)).toEqual({
    name: 'Relay',
    host: 'relay.example',
    port: '587',
    secure: '',
    user: '',
  })
})

test('testedServer: is a server that the API can test, with and without a login', () => {
  const servers = [
    testedServer({ ...values, secure: 'true' }),
    testedServer({ ...values, user: '' }),
  ]
  expect(servers.map(({ auth }) => auth)).toEqual([{ user: 'mailer', pass: 'secret' }, false])
  expect(servers.every((smtp) => matches(VerifyRequest, { smtp }))).toBe(true)
})
