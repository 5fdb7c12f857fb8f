import { oauth2ProviderTraits } from '@posthorn/contracts/account-types'
import type {
  OAuth2AppConfig,
  OAuth2CheckStep,
  OAuth2Provider,
} from '@posthorn/contracts/schemas/oauth2-app'

interface PublicAddress {
  serviceUrl?: string | undefined
}

/**
 * Describes a wrong redirect URL of an OAuth2 application. The redirect URL must lead to this
 * service, because browsers finish a sign-in there. Undefined without a redirect URL, or while no
 * `serviceUrl` is set.
 */
export function redirectProblem(
  { redirectUrl }: OAuth2AppConfig,
  { serviceUrl }: PublicAddress,
): string | undefined {
  if (!redirectUrl || !serviceUrl) return undefined
  const expected = `${serviceUrl.replace(/\/+$/, '')}/oauth`
  if (URL.parse(redirectUrl)?.href === URL.parse(expected)?.href) return undefined
  return `redirectUrl is ${redirectUrl}, but serviceUrl requires ${expected}`
}

/**
 * Step of the verification of an OAuth2 application that compares the redirect URL with the address
 * of the service.
 */
export function redirectStep(
  { provider, config }: { provider: OAuth2Provider; config: OAuth2AppConfig },
  settings: PublicAddress,
): OAuth2CheckStep {
  const step = { id: 'redirect', label: 'Redirect URL leads to this service' }
  if (oauth2ProviderTraits[provider].login === 'service')
    return { ...step, status: 'skip', message: 'The application is used without sign-ins' }
  if (!config.redirectUrl)
    return { ...step, status: 'skip', message: 'The application has no redirect URL' }
  if (!settings.serviceUrl)
    return { ...step, status: 'skip', message: 'The setting serviceUrl is not set' }
  const problem = redirectProblem(config, settings)
  if (problem === undefined) return { ...step, status: 'ok', message: config.redirectUrl }
  const hint = 'Register <serviceUrl>/oauth at the provider and store it as redirectUrl'
  return { ...step, status: 'fail', message: problem, hint }
}
