import { expect, test } from '@jest/globals'
import type { AppError } from '@posthorn/errors'
import { planRegistration, planUpdate, type StoredGateway } from './plan-gateway.ts'

const stored: StoredGateway = {
  name: 'Relay',
  host: 'relay.example',
  port: 587,
  secure: false,
  username: 'user',
  hasPassword: true,
}
const open: StoredGateway = { ...stored, username: null, hasPassword: false }
const server = { name: 'Relay', host: 'Relay.example', port: 587 }
const masked = '******'

const refusal = (plan: () => unknown) => {
  try {
    return plan()
  } catch (error) {
    return (error as AppError).extras.fields?.map(({ message }) => message)
  }
}

test('a registration is the whole gateway', () => {
  expect(planRegistration(server, stored)).toEqual({
    columns: { ...server, secure: false, username: null },
    password: { forget: true },
  })
  expect(planRegistration({ ...server, user: 'u', pass: 'p', secure: true }, undefined)).toEqual({
    columns: { ...server, secure: true, username: 'u' },
    password: { seal: 'p' },
  })
})

test('the mask of a stored password keeps it', () => {
  const given = { ...server, user: 'user', pass: masked }
  expect(planRegistration(given, stored).password).toEqual({ keep: true })
  expect(planUpdate({ pass: masked }, stored).password).toEqual({ keep: true })
  expect(planUpdate({ user: 'other', pass: masked }, stored).password).toEqual({ keep: true })
})

test.each<[string, () => unknown, string]>([
  [
    'user without password',
    () => planRegistration({ ...server, user: 'u' }, undefined),
    '"pass" is required',
  ],
  [
    'user without password, one stored',
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
    'a mask of nothing',
    () => planRegistration({ ...server, user: 'u', pass: masked }, undefined),
    '"pass" is required',
  ],
  [
    'a mask, nothing stored',
    () => planUpdate({ user: 'u', pass: masked }, open),
    '"pass" is required',
  ],
  [
    'a mask for another host',
    () => planRegistration({ ...server, host: 'evil.example', user: 'user', pass: masked }, stored),
    '"pass" is required for another host',
  ],
  [
    'another host, the password not named',
    () => planUpdate({ host: 'evil.example' }, stored),
    '"pass" is required for another host',
  ],
  [
    'another host, the password masked',
    () => planUpdate({ host: 'evil.example', pass: masked }, stored),
    '"pass" is required for another host',
  ],
  [
    'another user, the password not named',
    () => planUpdate({ user: 'other' }, stored),
    '"pass" is required',
  ],
  ['no password, the user kept', () => planUpdate({ pass: null }, stored), '"pass" is required'],
])('%s is refused', (...[, plan, message]) => {
  expect(refusal(plan)).toEqual([message])
})

test('an update changes what it names', () => {
  expect(planUpdate({ name: 'New', port: 465, secure: true }, stored)).toEqual({
    columns: { name: 'New', host: 'relay.example', port: 465, secure: true, username: 'user' },
    password: { keep: true },
  })
  expect(planUpdate({ host: 'new.example', pass: 'p' }, stored)).toEqual({
    columns: { name: 'Relay', host: 'new.example', port: 587, secure: false, username: 'user' },
    password: { seal: 'p' },
  })
})

test('without a user there is no password', () => {
  expect(planUpdate({ user: null }, stored)).toMatchObject({
    columns: { username: null },
    password: { forget: true },
  })
  expect(planUpdate({ user: null, host: 'new.example' }, stored).password).toEqual({ forget: true })
  expect(planUpdate({ host: 'new.example' }, open).password).toEqual({ forget: true })
})
