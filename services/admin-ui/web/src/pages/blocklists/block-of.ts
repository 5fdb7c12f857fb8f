import type { NewBlock } from '../../data/lists/blocklists.ts'

/** Request that adds the address of the form to a blocklist. */
export function blockOf(values: Readonly<Record<string, string>>): NewBlock {
  const { account = '', recipient = '', reason } = values
  return { account, recipient, ...(reason && { reason }) }
}
