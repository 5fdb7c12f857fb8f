import type { ApiSignature } from '../mail-api/reads.ts'
import type { GmailRequests } from './requests.ts'

/** Resource `ListSendAsResponse`, as far as it is read. */
interface SendAsList {
  sendAs: { sendAsEmail?: string; signature?: string }[]
}

const maxBytes = 4 * 1024 * 1024

/**
 * Signatures of the addresses that the mailbox may send as. Addresses without a signature are left
 * out.
 */
export async function listSignatures(
  requests: GmailRequests,
  signal: AbortSignal,
): Promise<ApiSignature[]> {
  const { sendAs = [] } = await requests.json<SendAsList>({
    operation: 'settings.sendAs.list',
    path: '/settings/sendAs',
    fields: 'sendAs(sendAsEmail,signature)',
    maxBytes,
    signal,
  })
  return sendAs.flatMap(({ sendAsEmail, signature }) =>
    typeof sendAsEmail === 'string' && typeof signature === 'string' && signature !== ''
      ? { address: sendAsEmail, signature }
      : [],
  )
}
