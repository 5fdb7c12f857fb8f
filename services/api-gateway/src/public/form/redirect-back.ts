import type { FormLink } from '../../store/form-links.ts'

/** URL that the hosted form's user returns to after registration. The query has the result. */
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
