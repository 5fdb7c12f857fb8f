import { describe, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import fc from 'fast-check'
import { findForwardTarget } from './forward-target.ts'

const pieces = [
  '/',
  '//',
  '.',
  '..',
  '%2e',
  '%2F',
  '%5c',
  '\\',
  '%252e',
  '@',
  ':',
  '?',
  '#',
  ';',
  '%00',
  '%0a',
  '%3f',
  '%23',
  '%3b',
  'v1',
  'V1',
  'admin',
  'api',
  'account',
  'accounts',
  'jane',
  'message',
  'health',
  'metrics',
  '%',
  '\t',
  'ä',
  'http:',
]

const start = fc.constantFrom(
  '',
  '/v1/',
  '/v1/account/',
  '/v1/account/jane/message/',
  '/admin/api/',
)

/**
 * Request path after a proxy that decodes the path once more and then removes relative segments.
 */
function afterProxy(path: string): string {
  return new URL(`http://gateway${decodeURIComponent(path)}`).pathname
}

describe('findForwardTarget', () => {
  test('no path leaves the operations, also after a proxy that decodes it', () => {
    fc.assert(
      fc.property(start, fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (first, parts) => {
        let target
        try {
          target = findForwardTarget('GET', `/admin/call${first}${parts.join('')}`)
        } catch (error) {
          expect(error instanceof AppError || error instanceof URIError).toBe(true)
          return
        }
        const { path, search } = target
        const url = new URL(`http://gateway${path}${search}`)
        expect(url.host).toBe('gateway')
        expect(url.pathname).toMatch(/^\/(?:v1|admin\/api)\/[^/]/)
        expect(url.pathname.split('/')).toHaveLength(target.operation.path.split('/').length)
        expect(afterProxy(path)).toMatch(/^\/(?:v1|admin\/api)\/[^/]/)
      }),
      { numRuns: 20_000 },
    )
  })

  test('finds operation, account and masked path', () => {
    const path = '/admin/call/v1/account/a%2Fb/message/x?access=1'
    expect(findForwardTarget('GET', path)).toMatchObject({
      operation: { id: 'getMessage' },
      path: '/v1/account/a%2Fb/message/x',
      search: '?access=1',
      account: 'a/b',
    })
    expect(findForwardTarget('DELETE', '/admin/call/v1/token/secret')).toMatchObject({
      auditPath: '/v1/token/{token}',
      account: undefined,
    })
  })
})
