import { PosthornConnectionError, PosthornError } from '@posthorn/client'
import { expect, test } from '@jest/globals'
import { describeError } from './describe-error.ts'

const response = (status: number, members: object) =>
  new PosthornError('getStats', new Response(null, { status }), {
    statusCode: status,
    error: '',
    message: 'Forbidden',
    ...members,
  })
const failed = (cause: object) =>
  new PosthornConnectionError('getStats', Object.assign(new Error('failed'), cause))

test.each([
  [{ message: 'Unauthorized scope', requestedScope: '*' }, 'has no scope `*`'],
  [
    { requiredPermission: { action: 'write', group: 'submit' } },
    'the action `write` of the group `submit`',
  ],
  [{ message: 'Unauthorized account' }, 'bound to another account'],
  [{ remoteAddress: '192.0.2.1' }, 'must not be used from 192.0.2.1'],
  [{ message: 'Unauthorized referrer' }, 'does not permit the command'],
])('describeError: 403 %j, the missing right', (members, remedy) => {
  const { lines, exitCode } = describeError(response(403, members))
  expect(lines[1]).toContain(remedy)
  expect(exitCode).toBe(1)
})

test.each(['ApiEndpointDisabled', 'constructor'])('describeError: 403 %s, no remedy', (code) => {
  expect(describeError(response(403, { code })).lines).toEqual([`Forbidden (403 ${code})`])
})

test('describeError: a redirect, the remedy', () => {
  expect(describeError(response(302, {})).lines[1]).toContain('redirects')
})

test('describeError: a page of a proxy is not printed', () => {
  const { lines, exitCode } = describeError(response(502, { message: '\n<html>bad</html>' }))
  expect(lines).toEqual(['the response is a page of a proxy (502)'])
  expect(exitCode).toBe(3)
})

test.each([
  [{ name: 'SyntaxError' }, 'is not JSON', 'Check the URL'],
  [{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'does not use TLS', 'with http'],
  [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: 'self-signed; x' }, 'self-signed', 'CA_CERTS'],
  [{ code: 'ECONNREFUSED', message: '' }, 'ECONNREFUSED', 'Check the URL'],
])('describeError: no complete response %j, exit code 3', (cause, problem, remedy) => {
  const { lines, exitCode } = describeError(failed(cause))
  expect(lines).toEqual([expect.stringContaining(problem), expect.stringContaining(remedy)])
  expect(exitCode).toBe(3)
})
