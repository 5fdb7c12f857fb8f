import type { FormLink } from '../../store/accounts/form-links.ts'

/**
 * URL to which the hosted form's user returns after the registration. The query of the URL contains
 * the result of the registration.
 */
export function redirectUrlOf({ account, request, state }: FormLink): string {
  return withAccountState(request.redirectUrl, account, state ?? 'existing')
}

export function withAccountState(
  redirectUrl: string,
  account: string,
  state: 'new' | 'existing',
): string {
  const url = new URL(redirectUrl)
  url.searchParams.set('account', account)
  url.searchParams.set('state', state)
  return url.href
}
