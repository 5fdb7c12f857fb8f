import { incompleteResponse } from '../mail-api/errors.ts'
import type { ApiSignature } from '../mail-api/reads.ts'
import type { GmailRequests } from './requests.ts'

/** Members of Gmail's resource `ListSendAsResponse` that this client reads. */
interface SendAsList {
  sendAs: { sendAsEmail?: string; signature?: string }[]
}

const maxBytes = 4 * 1024 * 1024

/**
 * Lists the signatures of the addresses that a Gmail mailbox may send as. Addresses without a
 * signature are left out.
 *
 * @throws MailApiError `unavailable` for an empty list
 */
export async function listSignatures(
  requests: GmailRequests,
  signal: AbortSignal,
): Promise<ApiSignature[]> {
  const { sendAs } = await requests.json<SendAsList>({
    operation: 'settings.sendAs.list',
    path: '/settings/sendAs',
    fields: 'sendAs(sendAsEmail,signature)',
    maxBytes,
    signal,
  })
  // An empty list of addresses is an incomplete response, because every Gmail mailbox has an
  // address.
  if (!sendAs) throw incompleteResponse('The list of addresses of Gmail is empty')
  return sendAs.flatMap(({ sendAsEmail, signature }) =>
    typeof sendAsEmail === 'string' && typeof signature === 'string' && signature !== ''
      ? { address: sendAsEmail, signature }
      : [],
  )
}
