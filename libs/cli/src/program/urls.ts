import { UsageError } from '../exit-codes.ts'

/** Checks the text of an option that is a URL without a login, which others could see. */
export function httpUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError('expected a URL such as http://127.0.0.1:3000/hook')
  if (url.username || url.password)
    throw new UsageError('expected a URL without a login: arguments are visible to other users')
  return text
}
