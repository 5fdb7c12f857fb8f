import { expect } from '@jest/globals'
import type { TestDovecot, testOpenIdProvider } from '@posthorn/testkit'
import type { World } from './world.ts'

export interface OpenIdAppOptions {
  provider: Awaited<ReturnType<typeof testOpenIdProvider>>
  /** Mail server that accepts the tokens of the OpenID provider. */
  dovecot: Pick<TestDovecot, 'host' | 'imapPort' | 'submissionPort'>
  redirectUrl: string
}

/**
 * Stores an OAuth2 application for an OpenID provider and its mail server. Returns the id of the
 * application.
 */
export async function createOpenIdApp(
  { posthorn }: Pick<World, 'posthorn'>,
  { provider, dovecot: { host, imapPort, submissionPort }, redirectUrl }: OpenIdAppOptions,
): Promise<string> {
  const created = await posthorn.createOAuth2App({
    body: {
      name: 'Test provider',
      provider: 'generic',
      enabled: true,
      issuer: provider.issuer,
      clientId: provider.clientId,
      clientSecret: provider.clientSecret,
      redirectUrl,
      scopes: ['openid', 'email', 'profile', 'offline_access', 'mail'],
      imap: { host, port: imapPort },
      smtp: { host, port: submissionPort },
    },
  })
  expect(created).toEqual({ id: expect.any(String), created: true })
  return created.id
}
