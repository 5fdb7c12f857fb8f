import type { Application } from './application.ts'
import { signAssertion, withLifetime } from './assertion.ts'
import type { Federation } from './federation.ts'

interface SignDeps {
  federation: Pick<Federation, 'sign'>
  now?: () => number
}

/**
 * Signs the assertion with which a service account requests an access token of the mailbox
 * `subject`: with the key of the service account, or by Workload Identity Federation.
 *
 * @throws AppError `rejected` `TokenGenerationError`; `unreachable` if the federation does not
 * respond
 */
export async function signServiceAssertion(
  { federation, now = Date.now }: SignDeps,
  { config, profile, serviceKey = '', externalAccount }: Application,
  { subject, audience }: { subject: string; audience: string },
): Promise<string> {
  const { serviceClient = '', serviceClientEmail } = config
  const scope = profile.scopes.join(' ')
  const claims = { iss: serviceClientEmail ?? serviceClient, sub: subject, scope, aud: audience }
  return config.authMethod === 'externalAccount'
    ? federation.sign({ externalAccount, serviceClientEmail }, withLifetime(claims, now()))
    : signAssertion(claims, serviceKey, now())
}
