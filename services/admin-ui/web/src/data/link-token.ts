/**
 * Reads the token from the address of a set-up link or invitation: `#token=…`, `#…` or `?token=…`.
 * Browsers do not send the part after `#` to servers, so a token after `#` is in no log.
 */
export function tokenOf({ hash, search }: Pick<Location, 'hash' | 'search'>): string {
  const fragment = hash.slice(1)
  return (
    new URLSearchParams(fragment).get('token') ??
    (fragment || (new URLSearchParams(search).get('token') ?? ''))
  )
}
