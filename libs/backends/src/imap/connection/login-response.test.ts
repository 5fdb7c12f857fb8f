import { expect, test } from '@jest/globals'
import { rejectsCredentials } from './login-response.ts'

// Responses of real IMAP servers to a login, as quoted in bug reports.
test.each<[response: string, rejected: boolean]>([
  ['NO [AUTHENTICATIONFAILED] Authentication failed.', true],
  ['NO [AUTHENTICATIONFAILED] LOGIN Invalid credentials or IMAP is disabled', true],
  ['NO [AUTHENTICATIONFAILED] Invalid credentials, please try again', true],
  ['NO [AUTHORIZATIONFAILED] Lookup failed', true],
  ['NO [EXPIRED] Password expired', true],
  ['NO [PRIVACYREQUIRED] Encryption needed to use mechanism', true],
  ['NO [CONTACTADMIN] Your account needs attention', true],
  ['NO [WEBALERT https://mail.example/signin] Web login required', true],
  ['NO [REFERRAL imap://other.example/] Specified user is invalid on this server', true],
  ['NO [ALERT] Please log in via your web browser', true],
  ['NO [ALERT] Application-specific password required', true],
  ['NO LOGIN failed.', true],
  ['NO Incorrect password or account name', true],
  ['NO Login fail. Please using authorized code to login.', true],
  ['NO You are yet to enable IMAP for your account', true],
  ['NO mailbox is disabled', true],
  ['BAD User is authenticated but not connected.', true],
  ['NO [UNAVAILABLE] Temporary authentication failure', false],
  ['NO [UNAVAILABLE] Service temporarily unavailable', false],
  ['NO [UNAVAILABLE] Maximum number of connections from user+IP exceeded', false],
  ['NO [SERVERBUG] LOGIN Server error - Please try again later', false],
  ['NO [INUSE] Mailbox is locked', false],
  ['NO [LIMIT] Rate limit hit', false],
  ['NO [LIMIT] Too many open connections', false],
  ['NO [OVERQUOTA] Account exceeded command or bandwidth limits.', false],
  ['NO [ALERT] Too many simultaneous connections. (Failure)', false],
  ['NO [AUTHENTICATIONFAILED] Too many login failures, try again later', false],
  ['NO [AUTHENTICATIONFAILED] Temporary authentication failure', false],
  ['NO Temporary System Error', false],
  ['NO Server Unavailable. 15', false],
  ['NO Maximum connection limit reached', false],
  ['NO Authentication timed out', false],
  ['NO Request is throttled. Suggested Backoff Time: 92415 milliseconds', false],
  ['BAD Request is throttled. Suggested Backoff Time: 92415 milliseconds', false],
  ['BAD Command argument error. 12', false],
  ['BAD Invalid arguments to LOGIN', false],
  ['BYE Connection closed. 14', false],
  ['NO', false],
  ['NO Sorry', false],
])('rejectsCredentials: %s', (...[response, rejected]) => {
  const [, status = '', code, text = ''] =
    /^(\w+)(?: \[(\w+)[^\]]*\])?(?: (.*))?$/.exec(response) ?? []
  expect(rejectsCredentials({ status, text, ...(code === undefined ? {} : { code }) })).toBe(
    rejected,
  )
})
