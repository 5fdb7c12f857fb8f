/**
 * Redirect URI that OAuth2 applications of this installation have at their providers. Empty without
 * the setting `serviceUrl`.
 */
export function redirectUriOf(serviceUrl: unknown): string {
  if (typeof serviceUrl !== 'string' || serviceUrl === '') return ''
  return `${serviceUrl.replace(/\/+$/, '')}/oauth`
}
