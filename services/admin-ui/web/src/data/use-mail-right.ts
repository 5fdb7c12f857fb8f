import { useEffect } from 'react'
import { mailKey } from './mail.ts'
import { type MailRight, mailRightOf } from './mail-right.ts'
import { queryClient } from './query-client.ts'
import { useSignedIn } from './session.ts'

/**
 * Returns the state of the person's right to read mail. Loaded mail is dropped when the right ends.
 */
export function useMailRight(): MailRight {
  const right = mailRightOf(useSignedIn(), new Date())
  useEffect(() => {
    if (right !== 'active') queryClient.removeQueries({ queryKey: mailKey })
  }, [right])
  return right
}
