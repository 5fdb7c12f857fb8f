import { expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import { authorize } from './authorize.ts'
import type { Token } from '../store/access/tokens.ts'

const token: Token = {
  id: 'x',
  account: null,
  scopes: ['api'],
  restrictions: null,
  permissions: null,
  expiresAt: null,
}
const visit = { account: 'a', address: '192.0.2.1', referrer: undefined }

test.each<[string, unknown, boolean]>([
  ['no record', null, true],
  ['its action', { actions: ['read'] }, true],
  ['its group', { groups: ['account'] }, true],
  ['both', { actions: ['read'], groups: ['account'] }, true],
  ['its action on another group', { actions: ['read'], groups: ['message'] }, false],
  ['nothing', {}, false],
  ['empty lists', { actions: [], groups: [] }, false],
  ['a list of something else', [], false],
  ['a word that has the action in it', { actions: 'read' }, false],
])('authorize: permissions record with %s', (_case, permissions, admitted) => {
  const attempt = () => authorize(operations.getAccount, { ...token, permissions } as Token, visit)
  if (admitted) expect(attempt).not.toThrow()
  else
    expect(attempt).toThrow(
      expect.objectContaining({
        message: 'Unauthorized permission',
        extras: { requiredPermission: { action: 'read', group: 'account' } },
      }),
    )
})
