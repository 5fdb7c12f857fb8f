import type { FormLink } from '../../store/form-links.ts'

/** Where a person goes once the mailbox is connected: the address the maker of the link gave, with what became of it. */
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
