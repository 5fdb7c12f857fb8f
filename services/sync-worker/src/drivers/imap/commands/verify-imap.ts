import type { ListedMailbox } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import { verifyImap } from '@posthorn/contracts/commands/verify'
import { defined } from '@posthorn/contracts/defined'
import type { VerificationResult, VerifiedMailbox } from '@posthorn/contracts/schemas/verification'
import { AppError } from '@posthorn/errors'
import type { ConnectDeps } from '../connections/connect.ts'

/** Part of a login test's deadline that is reserved for sending the reply. */
const replyMarginMs = 500

/** Handles commands that test a login at an IMAP server, without an account. Stores nothing. */
export function onVerifyImap(
  deps: Pick<ConnectDeps, 'backend' | 'getServerOptions' | 'log'>,
): CommandHandler {
  return on(verifyImap, async (request, { signal, deadline }) => {
    const options = await deps.getServerOptions(request.server, request.proxy ?? null)
    const leftMs = Math.max(1, deadline - Date.now() - replyMarginMs)
    try {
      await using session = await deps.backend.connect({
        ...options,
        credentials: request.credentials,
        connectTimeoutMs: Math.min(options.connectTimeoutMs ?? leftMs, leftMs),
        log: deps.log,
        signal,
      })
      const verdict = { success: true }
      if (!request.mailboxes) return { verdict }
      return { verdict, mailboxes: (await session.listMailboxes()).map(describe) }
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error
      return { verdict: failedResult(error) }
    }
  })
}

function failedResult({ message, code, extras }: AppError): VerificationResult {
  const response = extras.info?.['response']
  const responseText = typeof response === 'string' ? response : undefined
  return defined({ success: false, error: message, code, responseText })
}

function describe(mailbox: ListedMailbox): VerifiedMailbox {
  const { path, delimiter, parentPath, name, subscribed, attributes } = mailbox
  const { specialUse: use, specialUseSource = 'name' } = mailbox
  // The path INBOX is case-insensitive (RFC 9051 §5.1).
  const isInbox = path.toUpperCase() === 'INBOX'
  const noInferiors = attributes.some((attribute) => attribute.toLowerCase() === '\\noinferiors')
  return defined({
    path,
    delimiter,
    parentPath: parentPath || undefined,
    name,
    listed: true,
    subscribed,
    specialUse: isInbox ? '\\Inbox' : use,
    specialUseSource: isInbox ? ('name' as const) : use && specialUseSource,
    noInferiors: noInferiors || undefined,
  })
}
