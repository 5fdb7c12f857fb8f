import { type CommandHandler, on } from '@posthorn/bus'
import { isSending } from '@posthorn/contracts/commands/outbox'

/**
 * Confirms that this sender is running, so that other senders do not claim its submissions in
 * doubt.
 */
export function onIsSending(): CommandHandler {
  return on(isSending, async () => ({}))
}
