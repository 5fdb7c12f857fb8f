import { rm } from 'node:fs/promises'
import { type Dovecot, startDovecot, startMailHub } from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { createServerDirectory } from '../private-server.ts'

export interface TestOAuthDovecot extends Pick<
  Dovecot,
  'host' | 'imapPort' | 'imapsPort' | 'submissionPort' | 'deliver'
> {
  drop(): Promise<void>
}

/**
 * Starts a Dovecot with token mechanisms. It checks every token at `introspectionUrl` (RFC 7662).
 */
export async function testOAuthDovecot(
  introspectionUrl: string,
  tokenMechanisms: readonly ('xoauth2' | 'oauthbearer')[] = ['xoauth2', 'oauthbearer'],
): Promise<TestOAuthDovecot> {
  const dir = await createServerDirectory('oauth-dovecot')
  const cache = cacheDirectory(process.env)
  const dovecot = await startDovecot({ dir, cache, introspectionUrl, tokenMechanisms })
  const hub = await startMailHub({ dir, port: dovecot.relayPort, lmtpPort: dovecot.lmtpPort })
  const { host, imapPort, imapsPort, submissionPort } = dovecot
  return {
    host,
    imapPort,
    imapsPort,
    submissionPort,
    deliver: (user, rfc822) => dovecot.deliver(user, rfc822),
    async drop() {
      await hub.stop()
      await dovecot.destroy()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
