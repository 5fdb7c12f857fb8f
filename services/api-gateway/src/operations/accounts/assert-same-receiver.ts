import { AppError } from '@posthorn/errors'
import type { Token } from '../../access/token.ts'

interface Receiver {
  webhooks: string | null
  webhooksCustomHeaders: readonly { key: string; value: string }[] | null
}

/** What is written of it, as columns; absent: as it is. */
type Change = { [K in keyof Receiver]?: string | null | undefined }

/**
 * Keeps the custom headers of an account from a receiver that they were not set for, where a token is bound to the account: whoever set
 * them may have meant them for his own receiver, and masked values tell nobody what they are. New headers may go anywhere.
 *
 * @throws AppError `forbidden`
 */
export function assertTargetUnchanged(
  token: Pick<Token, 'account'> | null,
  before: Receiver,
  { webhooks, webhooksCustomHeaders }: Change,
): void {
  if (!token || token.account === null || !webhooks) return
  if (originOf(webhooks) === originOf(before.webhooks)) return
  const known = before.webhooksCustomHeaders ?? []
  const headers = webhooksCustomHeaders === undefined ? known : parsed(webhooksCustomHeaders)
  if (headers.some(({ value }) => value !== '' && known.some((header) => header.value === value)))
    throw new AppError('forbidden', 'Unauthorized account')
}

function parsed(column: string | null): { value: string }[] {
  return column === null ? [] : (JSON.parse(column) as { value: string }[])
}

function originOf(address: string | null): string | undefined {
  return address !== null && URL.canParse(address) ? new URL(address).origin : undefined
}
