import { expect, test } from '@jest/globals'
import type { AppError } from '@posthorn/errors'
import type { LockedGateway } from '../../store/messages/gateways.ts'
import { planRegistration, planUpdate } from './plan-gateway.ts'

const stored: LockedGateway = {
  name: 'Relay',
  host: 'relay.example',
  port: 587,
  secure: false,
  username: 'user',
  hasPassword: true,
}
const withoutLogin: LockedGateway = { ...stored, username: null, hasPassword: false }
const server = { name: 'Relay', host: 'Relay.example', port: 587 }
const masked = '******'

const refusal = (plan: () => unknown) => {
  try {
    return plan()
  } catch (error) {
    return (error as AppError).extras.fields?.map(({ message }) => message)
  }
}

test('planRegistration: replaces all columns and the password', () => {
  expect(planRegistration(server, stored)).toEqual({
    columns: { ...server, secure: false, username: null },
    password: 'delete',
  })
  expect(planRegistration({ ...server, user: 'u', pass: 'p', secure: true }, undefined)).toEqual({
    columns: { ...server, secure: true, username: 'u' },
    password: { seal: 'p' },
  })
})

test('planRegistration, planUpdate: with the masked stored password, keep it', () => {
  const input = { ...server, user: 'user', pass: masked }
  expect(planRegistration(input, stored).password).toBe('keep')
  expect(planUpdate({ pass: masked }, stored).password).toBe('keep')
})

test.each<[string, () => unknown, string]>([
  [
    'user without password',
    () => planRegistration({ ...server, user: 'u' }, undefined),
    '"pass" is required',
  ],
  [
    'user without password and one stored',
    () => planRegistration({ ...server, user: 'user' }, stored),
    '"pass" is required',
  ],
  [
    'an empty password',
    () => planRegistration({ ...server, user: 'u', pass: '' }, undefined),
    '"pass" is required',
  ],
  [
    'password without user',
    () => planRegistration({ ...server, pass: 'p' }, undefined),
    '"user" is required with a password',
  ],
  [
    'a mask without a stored gateway',
    () => planRegistration({ ...server, user: 'u', pass: masked }, undefined),
    '"pass" is required',
  ],
  [
    'a mask without a stored password',
    () => planUpdate({ user: 'u', pass: masked }, withoutLogin),
    '"pass" is required',
  ],
  [
    'a mask for another host',
    () => planRegistration({ ...server, host: 'evil.example', user: 'user', pass: masked }, stored),
    '"pass" is required for another host',
  ],
  [
    'another host without a password',
    () => planUpdate({ host: 'evil.example' }, stored),
    '"pass" is required for another host',
  ],
  [
    'another host with a masked password',
    () => planUpdate({ host: 'evil.example', pass: masked }, stored),
    '"pass" is required for another host',
  ],
  [
    'a mask for another port',
    () => planRegistration({ ...server, port: 2525, user: 'user', pass: masked }, stored),
    '"pass" is required for another port',
  ],
  [
    'another port without a password',
    () => planUpdate({ port: 2525 }, stored),
    '"pass" is required for another port',
  ],
  [
    'another TLS mode with a masked password',
    () => planUpdate({ secure: true, pass: masked }, stored),
    '"pass" is required for another value of "secure"',
  ],
  [
    'another user with a masked password',
    () => planUpdate({ user: 'other', pass: masked }, stored),
    '"pass" is required for another user',
  ],
  [
    'another user without a password',
    () => planUpdate({ user: 'other' }, stored),
    '"pass" is required',
  ],
  [
    'a removed password with a user',
    () => planUpdate({ pass: null }, stored),
    '"pass" is required',
  ],
])('planRegistration, planUpdate: %s, rejects the field', (...[, plan, message]) => {
  expect(refusal(plan)).toEqual([message])
})

test('planUpdate: changes the fields of the request only', () => {
  expect(planUpdate({ name: 'New', host: 'RELAY.example' }, stored)).toEqual({
    columns: { name: 'New', host: 'RELAY.example', port: 587, secure: false, username: 'user' },
    password: 'keep',
  })
  expect(planUpdate({ host: 'new.example', pass: 'p' }, stored)).toEqual({
    columns: { name: 'Relay', host: 'new.example', port: 587, secure: false, username: 'user' },
    password: { seal: 'p' },
  })
})

test('planUpdate: without a user, deletes the password', () => {
  expect(planUpdate({ user: null }, stored)).toMatchObject({
    columns: { username: null },
    password: 'delete',
  })
  expect(planUpdate({ user: null, host: 'new.example' }, stored).password).toBe('delete')
  expect(planUpdate({ host: 'new.example' }, withoutLogin).password).toBe('delete')
})
