import { expect, test } from '@jest/globals'
import { type Env, optional, required } from '@posthorn/config'
import { checkEnvironment, describeProcess } from './environment.ts'
import { readProcesses } from './processes.ts'

function readConfig(env: Env) {
  if (optional(env, 'SWITCH') === undefined) return {}
  return { dependent: required(env, 'DEPENDENT') }
}

test('describeProcess: with a switch, finds the variables that depend on it', () => {
  const examples = { DEPENDENT: 'x' }
  expect(describeProcess(readConfig, examples).variables).not.toContain('DEPENDENT')
  const { variables } = describeProcess(readConfig, examples, { SWITCH: 'on' })
  expect([...variables]).toEqual(expect.arrayContaining(['SWITCH', 'DEPENDENT']))
})

test('readProcesses: admin-ui reads the variables of an OpenID provider', () => {
  const process = readProcesses().get('admin-ui')
  if (!process) throw new Error('admin-ui is missing')
  const always = Object.entries({
    AMQP_URL_FILE: '/run/secrets/posthorn/amqp-url',
    DATABASE_URL_FILE: '/run/secrets/posthorn/database-url',
    SVC_ADMIN_OIDC_CLIENT_SECRET_FILE: '/run/secrets/posthorn/oidc-client-secret',
    SVC_GATEWAY_URL: 'http://api-gateway:3000',
  }).map(([name, value]) => ({ name, value }))
  expect(checkEnvironment('admin-ui', process, always).faults).toEqual([])
  const withProvider = [
    ...always,
    { name: 'SVC_ADMIN_OIDC_ISSUER', value: 'https://id.example.com' },
    { name: 'SVC_ADMIN_OIDC_CLIENT_ID', value: 'posthorn' },
    { name: 'SVC_ADMIN_OIDC_ROLES', value: 'admins=boss' },
  ]
  expect(checkEnvironment('admin-ui', process, withProvider).faults).toEqual([
    { variable: withProvider.at(-1), text: expect.stringContaining('SVC_ADMIN_OIDC_ROLES') },
  ])
})
